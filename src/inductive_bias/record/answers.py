"""The five answers on the first page: each in two or three sentences, with numbers from the published tables."""

import html
from collections.abc import Callable
from dataclasses import dataclass

from inductive_bias.formatting import number
from inductive_bias.plotting.page import PageHTML
from inductive_bias.record.known_numbers import NOT_YET, Known, as_html, as_text, decimals, percent
from inductive_bias.studies import agreement, memory_models, vision
from inductive_bias.studies.automata.claims.depth import FOUR
from inductive_bias.studies.automata.measures.depth import automata, needed
from inductive_bias.studies.results import Results


@dataclass(frozen=True)
class Answer:
    """A question that a stranger asks, and what the book found.

    Attributes:
        asked: the question.
        short: the answer in a few words.
        words: the sentences, from the numbers; links are written ``[words](page)``.
    """

    asked: str
    short: str
    words: Callable[[Known], str]


def _where(known: Known) -> str:
    at = dict(zip(("split", "metric"), agreement.measures.MEASURES[agreement.measures.A_ACC], strict=True))
    scores = {model: known.mean("agreement", **at, **agreement.design.cell(model)) for model in agreement.design.LADDER}
    lstm = scores.pop(agreement.design.STRONG)
    return (
        "The bias has three parts: the network reads in order, it has no direct access to the past, and it takes the "
        "same step at every word. [Only an LSTM has all three](recurrence/bias.html). On average over none to four "
        f"misleading nouns, [LSTMs choose the right verb in {percent(lstm)} of the cases, and Transformers in "
        f"{percent(min(scores.values()))} to {percent(max(scores.values()))}](recurrence/ladder.html)."
    )


def _taught(known: Known) -> str:
    gained = known.estimate("A7", "LSTM → Bidir. Transformer − Bidir. Transformer")
    moved, lead = transferred(known)
    cells = (vision.design.TWIN, vision.design.TAUGHT, vision.design.CNN)
    alone, taught, teacher = (known.mean("vision", "accuracy", split="translate", **each) for each in cells)
    return (
        "On sentences that teacher and student have both read, an LSTM as a teacher "
        f"[adds only {number_of_points(gained)} to a Transformer’s accuracy](recurrence/inheritance.html). On new "
        "sentences without labels, in a generated grammar, "
        f"[a Transformer gains {percent(moved / lead)} of the LSTM’s lead](recurrence/grammar.html). Images lie "
        f"between the two: an MLP that learns from labels [reads {percent(alone)} of shifted digits, and "
        f"{percent(taught)} with a CNN as teacher for as many steps; the CNN reads {percent(teacher)}]"
        "(vision/distillation.html)."
    )


def transferred(known: Known, *, further: bool = True) -> tuple[float, float]:
    """How much A-acc a Transformer gains from an LSTM on generated sentences, and the LSTM's lead over its twin.

    Args:
        known: the results.
        further: whether the LSTM answers to further sentences, and not to those alone that it has learnt.
    """
    results, design = known.opened["agreement"], agreement.design
    more = {"sentences": design.FURTHER} if further else {}
    taught, twin = (design.drawn_cell(design.WEAK, teacher, **more) for teacher in (design.STRONG, design.WEAK))
    measured = agreement.measures.A_ACC
    gain, lead = (
        agreement.measures.difference(results, measured, each, twin)
        for each in (taught, design.drawn_cell(design.STRONG))
    )
    return gain.estimate, lead.estimate


def _built_in(known: Known) -> str:
    saved = 2 ** -known.estimate("R2-pure", "Attention / RSA")
    dilated, chosen = (heads_gain(known, chosen=each) for each in (False, True))
    return (
        "A linear RNN [is a sum of attention heads](attention/rnn_heads.html), to about twelve digits. If all of a "
        f"synthetic signal is recurrent, such heads [need {percent(saved)} of the sequences](attention/signal.html) "
        "that attention alone needs. If only a part recurs, no saving is shown. On characters the choice of heads "
        "decides. With the paper’s heads a "
        f"Transformer-XL [needs {more_or_fewer(dilated)} bits per character, and with heads chosen on validation text "
        f"{more_or_fewer(chosen)}](attention/memory.html). "
        "No gain was seen on [time series](attention/forecasting.html) "
        "and [code](attention/code.html)."
    )


def heads_gain(known: Known, *, chosen: bool) -> float:
    """Bits per character that RSA saves over attention in a Transformer-XL, both with chosen settings or neither."""
    design, results = memory_models.design, known.opened["memory_models"]
    pair = design.RSA, design.ATTENTION
    rsa, attention = design.judging(results.scale, pair).values() if chosen else pair
    return memory_models.measures.gain(results, design.XL, rsa, over=attention).estimate


def more_or_fewer(saved: float) -> str:
    """``.027 more`` or ``.040 fewer``, for bits that are saved."""
    return f"{decimals(abs(saved), 3)} {'fewer' if saved > 0 else 'more'}"


def _cut(known: Known) -> str:
    lost = known.estimate("M9", "LSTM: last 32 inputs against all")
    cost = known.estimate("M5", "LSTM, characters: unit by unit against free")
    music = known.estimate("M5", "LSTM, JSB chorales: forget gate ≤ 0.8 against free")
    return (
        "A stable network can be cut to a window: each further step of the window [divides the error by the same "
        "factor or more](stability/truncation.html). On chorales an LSTM that sees the last 32 inputs alone [has a "
        f"loss {percent(lost, 1)} higher](stability/forgetting.html). A stable LSTM [has {less_or_more(music)} "
        f"loss than a free one on chorales and {less_or_more(cost)} on characters](stability/cost.html)."
    )


def _shallow(known: Known) -> str:
    every, few = len(known.judgement("Q6").parts), simulated(known.opened["automata"], FOUR)
    far = known.estimate("Q9", "sinusoidal: beyond"), known.estimate("Q9", "LSTM, parity, beyond")
    return (
        f"On lengths known from training, one layer of an LSTM [simulates each of {every} "
        f"automata](automata/depth.html), and the best run of attention with up to four layers simulates {few} of "
        f"them. On words more than twice as long, [Transformers with sinusoids have {percent(far[0])} of the states of "
        f"parity right, as many as a guess, and LSTMs {percent(far[1])}](automata/shift.html)."
    )


def simulated(results: Results, layers: int) -> int:
    """How many automata the best Transformer with so many layers or fewer simulates, by the states at all positions."""
    return sum(bool(needed(results, each).min() <= layers) for each in automata(results))


def number_of_points(share: float) -> str:
    """``0.5 points`` for a difference of .005 between two shares."""
    return f"{number(100 * share, '.1f')} points"


def less_or_more(share: float) -> str:
    """``28 % more`` or ``1 % less``."""
    return f"{percent(abs(share))} {'more' if share > 0 else 'less'}"


ANSWERS = (
    Answer("Where is the recurrent bias?", "In an LSTM’s step", _where),
    Answer("Can it be taught?", "With new sentences; hardly with the old ones", _taught),
    Answer("Can it be built into attention?", "Yes, exactly; whether it helps depends on the heads", _built_in),
    Answer("Can the memory be cut short?", "Often: little of the past is used", _cut),
    Answer(
        "Can a few layers of attention replace a recurrence?", "Hardly beyond lengths known from training", _shallow
    ),
)


def five_answers(known: Known) -> PageHTML:
    """The five questions with their answers, as an ordered list."""
    items, lines = [], []
    for answer in ANSWERS:
        words = known.told(answer.words) or NOT_YET
        items.append(
            f'<li><p class="asked">{html.escape(answer.asked)} <strong>{html.escape(answer.short)}.</strong></p>'
            f"<p>{as_html(words)}</p></li>"
        )
        lines.append(f"{answer.asked} {answer.short}. {as_text(words)}")
    return PageHTML(f'<ol class="answers">{"".join(items)}</ol>', "\n".join(lines))
