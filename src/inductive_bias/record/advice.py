"""What an engineer should try first: a line a situation, with the numbers and the claims behind it."""

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inductive_bias.plotting.claims import FRAGILE, FRAGILE_WORDS
from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.tables import verdict_badge
from inductive_bias.record.answers import heads_gain, less_or_more, more_or_fewer, number_of_points, transferred
from inductive_bias.record.known_numbers import NOT_YET, Known, as_html, as_text, contrasts, decimals, percent
from inductive_bias.studies import agreement, forecasting, vision
from inductive_bias.studies.claims import at_published_look
from inductive_bias.studies.design import Cell
from inductive_bias.studies.feed_forward.design import CHARACTERS, TCN
from inductive_bias.studies.feed_forward.measures import cost
from inductive_bias.studies.sequences_needed import GOAL, sizes
from inductive_bias.studies.sharing.claims import learnt_lengths, needed
from inductive_bias.studies.sharing.design import LSTM, MLP, UNROLLED
from inductive_bias.studies.signal_models import RSA, TWIN
from inductive_bias.studies.signal_vs_samples.measures import compared
from inductive_bias.studies.state_tracking import ATTENTION
from inductive_bias.studies.supervision.claims import LOOKS
from inductive_bias.studies.supervision.design import JUDGED_SHARE, SPARSE_IN_PAPER
from inductive_bias.studies.truncation.design import ERRORS, TANH_TRAINED, TEXT
from inductive_bias.studies.truncation.figures import windows_of
from inductive_bias.tasks.proteins.task import LONGEST
from inductive_bias.verdicts import Contrast, Verdict


@dataclass(frozen=True)
class Advice:
    """One situation.

    Attributes:
        situation: what an engineer has.
        first: what to try first; links are written ``[words](page)``.
        because: what was measured, from the numbers.
        claims: ids of the claims behind it, whose verdicts are shown.
    """

    situation: str
    first: str
    because: Callable[[Known], str]
    claims: tuple[str, ...]


def by_verdict(verdict: Verdict, yes: str, no: str, unknown: str) -> str:
    """The words that a verdict allows: ``yes`` if it is reproduced, ``no`` if it is not, ``unknown`` if it is open."""
    return {"reproduced": yes, "not reproduced": no}.get(verdict, unknown)


def _longer(known: Known) -> str:
    told, lstm = known.estimate("Q9", "sinusoidal: beyond"), known.estimate("Q9", "LSTM, parity, beyond")
    return (
        f"On words more than twice as long as in training, LSTMs have {percent(lstm)} of the states of parity "
        f"right. Transformers with sinusoids have {percent(told)} right, as many as a guess. On words as long as in "
        "training both have nearly all."
    )


def _few_strings(known: Known) -> str:
    results = known.opened["sharing"]
    bits = max(learnt_lengths(results, MLP, LSTM))
    found = needed(results)
    there = found[found["bits"] == bits].groupby("model", observed=True)
    means, learnt = there["value"].mean(), there["reached"].agg(["sum", "count"])
    unshared = learnt.loc[UNROLLED]
    grow = by_verdict(
        known.judgement("Q25").verdict,
        "With the length the MLP’s number grows, and the LSTM’s hardly does.",
        "That the MLP’s number alone grows with the length is refuted.",
        "How the numbers grow with the length is not known.",
    )
    return (
        f"For parity of {bits} bits an LSTM needs {percent(2 ** (means[LSTM] - means[MLP]))} of the strings that an "
        f"MLP needs. Of LSTMs with weights of their own at every step, {unshared['sum']} of {unshared['count']} learn "
        f"it from half of all strings. {grow}"
    )


def _few_labels(known: Known) -> str:
    (_, lstm), (part, attention) = (
        known.part("Q7", f"D8, {model}, state, 1/8 of the labels") for model in (LSTM, ATTENTION)
    )
    at = {"automaton": SPARSE_IN_PAPER, "model": ATTENTION, "kept": JUDGED_SHARE}
    paper, _ = known.opened["supervision"].reported("median_accuracy", split="test", **at)
    below_half = by_verdict(
        at_published_look(known.opened["supervision"], part, attention.n, LOOKS).verdict,
        "Here their mean is below half as well.",
        "Here their mean is not below half.",
        "Whether their mean is below half here is open.",
    )
    return (
        f"With one label in eight, LSTMs have {percent(lstm.estimate)} of the states of the group D8 right, and "
        f"Transformers {percent(attention.estimate)}. In the paper the median Transformer has {percent(paper)} of the "
        f"states of the larger group {SPARSE_IN_PAPER}. {below_half}"
    )


def _series(known: Known) -> str:
    results, measures, design = known.opened["forecasting"], forecasting.measures, forecasting.design
    places = measures.places(results)
    best = {
        place: min(
            float(measures.errors(results, place, model, mixer).mean())
            for model in design.BACKBONES
            for mixer in design.SEARCHED
        )
        for place in places
    }
    ridge, day = (
        sum(measures.baseline(results, place, name) < best[place] for place in places)
        for name in ("ridge regression", "same hour yesterday")
    )
    return (
        f"In {ridge} of {len(places)} tables and horizons a ridge regression has a lower error than the best of six "
        f"small networks. In {day} of {len(places)} a repetition of yesterday has a lower error too."
    )


def _heads(known: Known) -> str:
    dilated, chosen = (heads_gain(known, chosen=each) for each in (False, True))
    return (
        f"With heads that were chosen on validation text, a Transformer-XL needs {more_or_fewer(chosen)} bits per "
        "character than attention with a search of equal length. With the paper’s heads, which look several characters "
        f"back, it needs {more_or_fewer(dilated)}."
    )


def _recurrent_signal(known: Known) -> str:
    pure, part = (known.part(claim, "Attention / RSA")[1] for claim in ("R2-pure", "R2"))
    fast, slow = (known.part("R2-elsewhere", f"Attention / RSA, {poles} poles")[1] for poles in ("fast", "slow"))
    results = known.opened["signal_vs_samples"]
    fewest, few, *_, most = sizes(results)
    price = [
        percent(compared(results, RSA, TWIN, log2=False, rho=0.0, samples=count).estimate)
        for count in (fewest, few, most)
    ]
    return (
        f"Where all of a synthetic signal is recurrent, RSA needs {percent(2**-pure.estimate)} of the sequences that "
        f"attention needs for an error of {GOAL:g}. Where a part is recurrent, {_saving(part)} at this error. Where "
        f"the signal fades more slowly than RSA’s initial decays, {_saving(slow)}; where it fades faster, "
        f"{_saving(fast)}. Where nothing is recurrent, RSA is worse by {price[0]} of the variance with {fewest} "
        f"sequences, by {price[1]} with {few} and by {price[2]} with {most:,}."
    )


def _saving(doublings: Contrast) -> str:
    """What RSA needs, where its interval leaves no doubt that it saves sequences."""
    return f"it needs {percent(2**-doublings.estimate)}" if doublings.low > 0 else "no saving is measured"


def _window(known: Known) -> str:
    found = windows_of(known.opened["truncation"], TANH_TRAINED, inputs=TEXT, error=ERRORS[1])
    limit = max(found, key=float)
    window, lost = sum(found[limit]) / len(found[limit]), known.estimate("M9", "LSTM: last 32 inputs against all")
    return (
        f"A trained tanh RNN with λ ≤ {limit.lstrip('0')} needs the last {window:.0f} characters for an error of "
        f"{percent(ERRORS[1])}. On chorales the loss of a free LSTM is {percent(lost, 1)} higher with the last 32 "
        "inputs alone."
    )


def _stable(known: Known) -> str:
    words = {
        "characters": "LSTM, characters: unit by unit against free",
        "chorales": "LSTM, JSB chorales: forget gate ≤ 0.8 against free",
    }
    cost, gain = (known.estimate("M5", words[name]) for name in ("characters", "chorales"))
    return (
        f"A stable LSTM has {less_or_more(cost)} loss than a free one on characters, and {less_or_more(gain)} on "
        "chorales."
    )


def _unlabelled(known: Known) -> str:
    (moved, lead), (again, there) = (transferred(known, further=each) for each in (True, False))
    tenth = by_verdict(
        known.judgement("A19").verdict, "a tenth or more", "less than a tenth", "whether this reaches a tenth is open"
    )
    return (
        f"A Transformer that learns from an LSTM’s answers to further sentences takes over {percent(moved / lead)} of "
        "the LSTM’s lead, in a generated grammar. On sentences that both have learnt it takes over "
        f"{percent(again / there)}: {tenth}."
    )


def _weak_teacher(known: Known) -> str:
    results, design, measures = known.opened["agreement"], agreement.design, agreement.measures
    strong, weak = design.STRONG, design.WEAK

    def lost(against: Cell, taught: Cell) -> str:
        return number_of_points(measures.difference(results, measures.A_ACC, against, taught).estimate)

    by_weak = design.cell(strong, weak)
    learnt, further = (
        lost(*(design.drawn_cell(strong, teacher, **more) for teacher in (strong, weak)))
        for more in ({}, {"sentences": design.FURTHER})
    )
    return (
        f"A Transformer as a teacher costs an LSTM {lost(design.cell(strong), by_weak)} of its right answers against "
        "labels, on average over real sentences with none to four misleading nouns. Against a teacher of its own kind "
        f"it costs {lost(design.cell(strong, strong), by_weak)}. On generated sentences that the teacher has learnt it "
        f"costs {learnt}, and with further ones {further}."
    )


def _images(known: Known) -> str:
    cells = (vision.design.TWIN, vision.design.TAUGHT, vision.design.CNN)
    alone, taught, teacher = (known.mean("vision", "accuracy", split="translate", **each) for each in cells)
    return (
        f"An MLP reads {percent(alone)} of shifted digits if it learnt from labels, and {percent(taught)} if a CNN "
        f"taught it for as many steps, both with centred digits only. The CNN itself reads {percent(teacher)}."
    )


def _copying(known: Known) -> str:
    lstm, tcn = (
        known.estimate("M14", f"{model}, 500 blanks: removed of a guess’s loss")
        for model in ("LSTM, slow start", "TCN")
    )
    chorales = known.estimate("M13", "JSB chorales: TCN against LSTM")
    characters = cost(known.opened["feed_forward"], CHARACTERS, TCN).estimate
    return (
        f"After 500 blanks a TCN copies in most runs ({percent(tcn)} of a guess’s loss is gone on average), and no "
        f"LSTM does ({percent(abs(lstm))}). A TCN has {less_or_more(chorales)} loss than an LSTM on chorales, and "
        f"{less_or_more(characters)} on characters."
    )


def _proteins(known: Known) -> str:
    mcc, auc = (-known.estimate("Q21-SignalP", "SignalP: Transformer − LSTM", unit) for unit in ("MCC", "AUC"))
    longer = by_verdict(
        known.judgement("Q21-ProFET").verdict,
        "the two do equally well",
        "the two differ as well",
        "the data do not tell whether the two differ",
    )
    return (
        f"On signal peptides an LSTM’s correlation (MCC) is {decimals(mcc)} above that of a Transformer of its size, "
        f"and its AUC {decimals(auc)} above. On neuropeptides of up to {LONGEST['profet']} residues {longer}."
    )


def _one_core(known: Known) -> str:
    short, long = (
        2 ** -known.estimate("Q20-parallel", f"LSTM over Attention, {length} tokens") for length in ("64", "4,096")
    )
    return (
        "On one CPU core a training step of attention takes "
        f"{decimals(short, 1)} times as long as that of an LSTM of its size with 64 tokens, and "
        f"{decimals(long, 1)} times as long with 4,096. No GPU was measured."
    )


def _explained(known: Known) -> str:
    drops = [each.estimate for _, each in contrasts(known.judgement("Q29"))]
    return (
        "Replacing the tenth of the positions that integrated gradients rank first lowers the right state’s "
        f"probability by {decimals(min(drops))} to {decimals(max(drops))} more than replacing as many at random. "
        "The attention of the last layer agrees with occlusion as well as integrated gradients do."
    )


def _code(known: Known) -> str:
    parts = [(part, each) for part, each in contrasts(known.judgement("RC4")) if each.name.endswith("bag of tokens")]
    ahead = {each.name for part, each in parts if part.verdict == "reproduced"}
    tried = {each.name for _, each in parts}
    return (
        f"Of {len(tried)} comparisons of a network with a bag of tokens, on five sets of code, {len(ahead)} show the "
        "network a point ahead."
    )


#: The lines by what they are about.
ADVICE = {
    "The state": (
        Advice("Inputs will be longer than any in training", "an LSTM", _longer, ("Q9", "Q9-begun")),
        Advice(
            "Few strings, and a rule that goes step by step",
            "a network that shares its step, such as an LSTM, before an MLP",
            _few_strings,
            ("Q25", "Q25b"),
        ),
        Advice("Only some steps have labels", "an LSTM", _few_labels, ("Q7",)),
        Advice(
            "A window of inputs instead of a state",
            "the [window calculator](stability/truncation.html#try-it): it asks for λ and for the error",
            _window,
            ("M1", "M9"),
        ),
        Advice(
            "A bound on the weights, so that a window is certain",
            "measure the cost on your data first",
            _stable,
            ("M5",),
        ),
        Advice(
            "Something must be kept for hundreds of steps",
            "a TCN whose receptive field covers them",
            _copying,
            ("M14", "M13"),
        ),
    ),
    "Recurrence inside attention": (
        Advice(
            "Attention with recurrence (RSA): which heads?",
            "heads without dilation, which see the last tokens",
            _heads,
            ("R7-XL", "R7-near"),
        ),
        Advice(
            "A signal of which all is recurrent, and few sequences",
            "RSA with its usual start, if the signal fades about as fast as its initial decays",
            _recurrent_signal,
            ("R2-pure", "R2", "R2-elsewhere", "R3"),
        ),
        Advice("A time series", "yesterday’s value and a ridge regression, before any network", _series, ("R5", "R5c")),
    ),
    "Teachers": (
        Advice(
            "Unlabelled text, an LSTM that knows the rule, and a Transformer to train",
            "the LSTM’s answers to the unlabelled text, as labels for the Transformer",
            _unlabelled,
            ("A21", "A19"),
        ),
        Advice("A teacher that is weaker than the student", "labels", _weak_teacher, ("A8", "A22", "A20")),
        Advice(
            "An image model that has to stay an MLP",
            "distil a CNN into it; if you may choose, use the CNN",
            _images,
            ("V1-twin", "V2"),
        ),
    ),
    "Data and machines": (
        Advice(
            f"Proteins of which the first {LONGEST['signalp']} residues count",
            "an LSTM or a GRU of one layer",
            _proteins,
            ("Q21-SignalP", "Q21-ProFET"),
        ),
        Advice("Source code and no pretraining", "a count of tokens, before any network", _code, ("RC4",)),
        Advice("One CPU core and no GPU", "an LSTM", _one_core, ("Q20-parallel",)),
        Advice(
            "An explanation of one answer",
            "occlusion, or integrated gradients where that is too slow",
            _explained,
            ("Q29", "Q28"),
        ),
    ),
}


def advice_table(known: Known) -> PageHTML:
    """A table for each group: what somebody has, what to try first, and what was measured, with its claims folded."""
    parts, lines = [], []
    for heading, group in ADVICE.items():
        body = []
        for each in group:
            because = known.told(each.because) or NOT_YET
            body.append(
                f'<tr><th scope="row">{html.escape(each.situation)}</th>'
                f'<td data-label="try first">{as_html(each.first)}</td>'
                f'<td data-label="what was measured">{as_html(because)}{_claims(known, each.claims)}</td></tr>'
            )
            named = ", ".join(f"{row['claim']}{FRAGILE if row['fragile'] else ''}" for row in _rows(known, each.claims))
            lines.append(f"{each.situation}: {as_text(each.first)}. {as_text(because)} ({named})")
        columns = "".join(f'<th scope="col">{words}</th>' for words in ("you have", "try first", "what was measured"))
        parts.append(
            f'<table class="advice" data-live><caption>{html.escape(heading)}</caption>'
            f"<thead><tr>{columns}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        )
    return PageHTML("".join(parts), "\n".join(lines))


def _claims(known: Known, names: tuple[str, ...]) -> str:
    """The claims behind a line, folded: each with its sentence, its verdict and a link to its chapter."""
    rows = _rows(known, names)
    items = "".join(
        f"<li>{verdict_badge(row['verdict'])}{_mark(row)} "
        f'<a href="{html.escape(row["chapter"].page)}#claim-{row["claim"]}">'
        f"{html.escape(row['statement'])}</a> ({row['claim']}; seen at: {html.escape(row['regime'])})</li>"
        for row in rows
    )
    words = "The claim behind it" if len(rows) == 1 else f"The {len(rows)} claims behind it"
    return f"<details><summary>{words}</summary><ul>{items}</ul></details>"


def _rows(known: Known, names: tuple[str, ...]) -> list[dict]:
    return known.claims.set_index("claim").loc[list(names)].reset_index().to_dict("records")


def _mark(row: Mapping) -> str:
    """The † of a verdict that is open after the correction for the number of claims; nothing for the others."""
    return f' <span class="fragile" title="{FRAGILE_WORDS}">{FRAGILE}</span>' if row["fragile"] else ""
