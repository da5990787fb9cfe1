"""Effects whose size a paper reports, beside ours: in words and in their own units, a line each."""

import html
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inductive_bias.formatting import number
from inductive_bias.plotting.page import PageHTML
from inductive_bias.plotting.tables import VERDICT_CLASSES, VERDICT_SIGNS
from inductive_bias.record.known_numbers import Known
from inductive_bias.studies import agreement, forecasting
from inductive_bias.verdicts import Contrast, Verdict, exceeds

#: Of the axis: its ends, in units of the paper's effect, and its size in pixels.
ENDS, WIDTH, HEIGHT = (-1.0, 3.0), 220, 24
#: What each mark says of an effect.
MEANING: Mapping[Verdict, str] = {
    "reproduced": "at least half as large as reported",
    "not reproduced": "less than half, or reversed",
    "undecided": "more runs would tell",
    "beyond these data": "more tables, patients or languages would tell",
    "not testable here": "a precondition fails here",
}


@dataclass(frozen=True)
class Unit:
    """How an effect is written.

    Attributes:
        words: behind the number.
        factor: of the number.
        digits: behind the point.
    """

    words: str
    factor: float
    digits: int

    def written(self, value: float) -> str:
        """``+13.7`` for .137 in points."""
        text = number(self.factor * value, f"+.{self.digits}f")
        return text if text.strip("+−0.") else text[1:]  # a zero has no sign


POINTS = Unit("points", 100.0, 1)
BITS = Unit("bits", 1.0, 3)
#: Of the logarithm of a ratio of errors.
PERCENT = Unit("%", 100.0, 0)


@dataclass(frozen=True)
class Beside:
    """An effect in a paper and here.

    Attributes:
        words: what was compared, and what was measured.
        page: where it is shown.
        unit: of the numbers.
        paper: the reported effect.
        here: ours, with the ends of its 95 % interval: estimate, low, high.
        verdict: of this effect alone.
    """

    words: str
    page: str
    unit: Unit
    paper: float
    here: tuple[float, float, float]
    verdict: Verdict

    @property
    def interval(self) -> str:
        """``+14.4 [+13.7, +15.1]``."""
        estimate, low, high = map(self.unit.written, self.here)
        return f"{estimate}\u00a0[{low},\u00a0{high}]"


@dataclass(frozen=True)
class Part:
    """A part of a claim that a paper has a number for.

    Attributes:
        words: what was compared, and what was measured.
        claim: its id.
        name: of the contrast; any if empty.
        measured: the unit of the contrast.
        unit: how it is written.
    """

    words: str
    claim: str
    name: str = ""
    measured: str = ""
    unit: Unit = POINTS

    def found(self, known: Known) -> Beside:
        """The effect in the paper and here.

        Raises:
            KeyError: if the claim has no such contrast, or no rule takes a paper's number for it.
        """
        judgement, contrast = known.part(self.claim, self.name, self.measured)
        sides = [side for side in (judgement.holds, judgement.fails) if side is not None]
        found = [each for side in sides for each in side.asked if each.paper is not None]
        if not found:
            raise KeyError(f"no paper's number is asked of {contrast.name} in claim {self.claim}")
        page = known.claims.set_index("claim")["chapter"][self.claim].page
        place = f"{page}#claim-{self.claim}"
        return Beside(self.words, place, self.unit, found[0].paper, _numbers(contrast), judgement.verdict)


def _lead(known: Known) -> Beside:
    """The LSTM's lead in A-acc, of which no sentence of a paper gives the size and a table does."""
    results, measures, design = known.opened["agreement"], agreement.measures, agreement.design
    cells = [design.cell(model) for model in (design.STRONG, design.WEAK)]
    contrast = measures.difference(results, measures.A_ACC, *cells)
    margin = measures.half_reported(results, measures.A_ACC, *cells)
    ours, theirs = (measures.paper(results, measures.A_ACC, cell)[0] for cell in cells)
    verdict = exceeds(contrast, margin).verdict
    words = f"LSTM instead of Transformer: {_MISLED}"
    return Beside(words, "recurrence/ladder.html", POINTS, ours - theirs, _numbers(contrast), verdict)


def _forecasts(model: str, claim: str) -> Callable[[Known], Beside]:
    """What RSA takes off the errors of a forecaster, on average over tables and horizons, as a share."""

    def found(known: Known) -> Beside:
        results, measures = known.opened["forecasting"], forecasting.measures
        reported = [measures.reported(results, model, place) for place in measures.places(results)]
        paper = [each for each in reported if each is not None]
        ours = _numbers(measures.gain(measures.gains(results, model), model))
        words = f"RSA in {model}: lower error of forecasts"
        taken_off, *here = (1 - math.exp(-each) for each in (sum(paper) / len(paper), *ours))
        place = f"attention/forecasting.html#claim-{claim}"
        return Beside(words, place, PERCENT, taken_off, tuple(here), known.judgement(claim).verdict)

    return found


def _numbers(contrast: Contrast) -> tuple[float, float, float]:
    return contrast.estimate, contrast.low, contrast.high


_SHIFTED, _SCALED, _CLEAN = (f"accuracy, {images}" for images in ("translated", "scaled", "MNIST"))
_ECE_SHIFTED, _ECE_SCALED = (f"ECE (10⁶ bins), {images}" for images in ("translated", "scaled"))
_NATURAL = "accuracy, natural test"
#: What A-acc counts: the mean of the accuracies with each number of misleading nouns.
_MISLED = "mean over 0 to 4 misleading nouns"
#: The lines of the figure by parts of the book.
LINES: Mapping[str, tuple[Callable[[Known], Beside], ...]] = {
    "Images: right answers": (
        Part("CNN instead of MLP: shifted digits", "V19", measured=_SHIFTED).found,
        Part("CNN instead of MLP: scaled digits", "V19", measured=_SCALED).found,
        Part("CNN teaches an MLP, against labels for as many steps: shifted digits", "V1", measured=_SHIFTED).found,
        Part("CNN teaches an MLP, against labels for as many steps: scaled digits", "V1", measured=_SCALED).found,
        Part("CNN and not an MLP as teacher: shifted digits", "V2", measured=_SHIFTED).found,
        Part("CNN teaches an MLP, against labels for as many steps: clean digits", "V22", measured=_CLEAN).found,
        Part("the same: lower calibration error, shifted digits", "V3", measured=_ECE_SHIFTED).found,
        Part("the same: lower calibration error, scaled digits", "V3", measured=_ECE_SCALED).found,
    ),
    "Agreement of subject and verb: right answers": (
        _lead,
        Part(
            "Transformer reads in one direction: all verbs", "A5", "Seq. Transformer − Bidir. Transformer", _NATURAL
        ).found,
        Part(
            "… and has one block for all layers: all verbs", "A5", "Seq. Univ. Transformer − Seq. Transformer", _NATURAL
        ).found,
        Part("LSTM instead of such a Transformer: all verbs", "A5", "LSTM − Seq. Univ. Transformer", _NATURAL).found,
        Part(
            "LSTM teaches a Transformer: all verbs", "A7", "LSTM → Bidir. Transformer − Bidir. Transformer", _NATURAL
        ).found,
        Part("LSTM and not a Transformer as teacher: all verbs", "A23").found,
        Part("the same: lower calibration error", "A23-ece").found,
        Part(f"Transformer and not LSTM teaches an LSTM: lost, {_MISLED}", "A8").found,
    ),
    "Recurrence inside attention (RSA): forecasts, and bits per character": (
        _forecasts(forecasting.design.INFORMER, "R5-Informer"),
        _forecasts(forecasting.design.LOG_SPARSE, "R5-LogSparse"),
        _forecasts(forecasting.design.XL, "R5-XL"),
        Part("Powers instead of a free matrix: bits saved", "R6", unit=BITS).found,
        Part("… in a Transformer-XL: bits saved", "R6-XL", unit=BITS).found,
        Part("RSA in a Block-Recurrent Transformer: bits saved", "R7-BRT", unit=BITS).found,
    ),
}


def beside_papers(known: Known) -> PageHTML:
    """The lines of :data:`LINES` as a table with a drawing in each row, where 1 is what the paper reports."""
    rows, lines = [], []
    used = dict.fromkeys(MEANING, 0)
    for part, makers in LINES.items():
        rows.append(f'<tr class="part"><th colspan="4" scope="rowgroup">{html.escape(part)}</th></tr>')
        for made in filter(None, map(known.told, makers)):
            used[made.verdict] = used.get(made.verdict, 0) + 1
            rows.append(_row(made))
            sign = VERDICT_SIGNS[made.verdict]
            paper = f"{made.unit.written(made.paper)} {made.unit.words}"
            lines.append(f"{sign} {made.words}: paper {paper}, here {made.interval}")
    key = "".join(
        f'<span><span class="{VERDICT_CLASSES[verdict]}">{count}</span> {html.escape(MEANING[verdict])}</span> '
        for verdict, count in used.items()
        if count
    )
    head = (
        '<thead><tr><th scope="col">What was compared, and what was measured</th><th scope="col">in the paper</th>'
        f'<th scope="col">here, with 95 % interval</th><th scope="col" class="drawn">{_axis()}</th></tr></thead>'
    )
    caption = "Effects whose size a paper reports, beside ours"
    table = (
        f'<table class="beside" data-live><caption class="visually-hidden">{caption}</caption>'
        f"{head}<tbody>{''.join(rows)}</tbody></table>"
    )
    return PageHTML(f'<div class="beside-box">{table}<p class="beside-key">{key}</p></div>', "\n".join(lines))


def _row(made: Beside) -> str:
    paper = f"{made.unit.written(made.paper)}\u00a0{made.unit.words}"
    return (
        f'<tr><th scope="row"><a href="{html.escape(made.page)}">{html.escape(made.words)}</a></th>'
        f'<td data-label="paper">{paper}</td><td data-label="here">{made.interval}</td>'
        f'<td class="drawn">{_drawn(made)}</td></tr>'
    )


def _drawn(made: Beside) -> str:
    """Interval and estimate in units of the paper's effect: a line at 0, a dashed one at 1, arrows beyond the ends."""
    estimate, low, high = (each / made.paper for each in made.here)
    middle, least, most = HEIGHT / 2, *ENDS
    ends = [_place(min(max(each, least), most)) for each in sorted((low, high))]
    marks = [f'<line class="span" x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{middle}" y2="{middle}"/>']
    for end, beyond, way in ((least, low < least, 1), (most, high > most, -1)):
        if beyond:
            tip, back = _place(end), _place(end) + 8 * way
            corners = f"{tip:.1f},{middle} {back:.1f},{middle - 5} {back:.1f},{middle + 5}"
            marks.append(f'<polygon points="{corners}"/>')
    if least <= estimate <= most:
        marks.append(f'<circle cx="{_place(estimate):.1f}" cy="{middle}" r="5"/>')
    lines = "".join(
        f'<line class="{kind}" x1="{_place(at):.1f}" x2="{_place(at):.1f}" y1="0" y2="{HEIGHT}"/>'
        for kind, at in (("none", 0.0), ("paper", 1.0))
    )
    words = f"{made.verdict}: {estimate:.2g} times the effect in the paper".replace("-", "−")
    return (
        f'<span class="{VERDICT_CLASSES[made.verdict]} sign" title="{MEANING[made.verdict]}"></span>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}" class="{_colour(made.verdict)}">'
        f"{lines}{''.join(marks)}</svg>"
    )


def _axis() -> str:
    """The words above the drawings."""
    labels = "".join(
        f'<text x="{_place(at):.1f}" y="15" text-anchor="middle">{words}</text>'
        for at, words in ((0.0, "0"), (1.0, "paper"))
    )
    words = "axis: no effect, and the effect in the paper"
    return f'<svg viewBox="0 0 {WIDTH} 20" role="img" aria-label="{words}">{labels}</svg>'


def _colour(verdict: Verdict) -> str:
    return f"of-{VERDICT_CLASSES[verdict]}"


def _place(value: float) -> float:
    """The place of a value in pixels; marks at the ends have room."""
    least, most = ENDS
    return 6 + (WIDTH - 12) * (value - least) / (most - least)
