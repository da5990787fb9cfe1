"""The profile as one HTML file: no script, nothing from elsewhere, for a desk, a phone, the night and paper."""

import html
import math

from inductive_bias.formatting import number
from inductive_bias.profile.groups import EVERY_PROBE
from inductive_bias.profile.report import NOT_ASKED, Report
from inductive_bias.studies.profile_comparison import NOTHING, Compared

#: Of a row's drawing: its width and height, and where 0 and 1 stand.
WIDTH, HEIGHT, LEFT, RIGHT = 320, 34, 10, 310
#: Models of a population that have a colour of their own, with the class of their dots: of sequences, and of images.
LANDMARKS = {
    **{"Attention": "attention", "RSA": "rsa", "LSTM": "lstm"},
    **{"CNN": "cnn", "MLP": "mlp", "Attention, patches": "attention"},
}
STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --muted: #6b6b6b; --ground: #fff; --rule: #ddd;
  --attention: #9a4123; --rsa: #5d2a82; --lstm: #155fc4; --cnn: #1172b0; --mlp: #d35f11; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --muted: #a5a5a5; --ground: #14181e; --rule: #39424e;
  --attention: #e8926f; --rsa: #c39be6; --lstm: #7fb0f5; --cnn: #6fb9ea; --mlp: #f0a35f; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 62rem;
  margin: 0 auto; padding: 1.2rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.small { color: var(--muted); font-size: .9rem; }
.axis { display: grid; grid-template-columns: 9rem 6.5rem minmax(0, 20rem) 1fr; gap: .2rem 1rem; align-items: center;
  border-top: 1px solid var(--rule); padding: .5rem 0; }
.axis b { overflow-wrap: anywhere; }
svg { width: 100%; height: auto; display: block; }
.dot { fill: var(--muted); opacity: .45; } .rule { stroke: var(--rule); } .own { fill: var(--ink); }
.interval { stroke: var(--ink); stroke-width: 2.5; } text { fill: var(--muted); font-size: 11px; }
.median { stroke: var(--muted); stroke-width: 2; }
.attention { fill: var(--attention); } .rsa { fill: var(--rsa); } .lstm { fill: var(--lstm); }
.cnn { fill: var(--cnn); } .mlp { fill: var(--mlp); }
.key span { margin-right: 1.2em; white-space: nowrap; } .key svg { display: inline; width: 12px; height: 12px; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; } th, td { text-align: left; padding: .25rem .6rem
  .25rem 0; border-bottom: 1px solid var(--rule); }
.warning { border-left: 0.3rem solid #b3261e; padding: 0.4rem 0.8rem; font-weight: 600; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
@media (max-width: 40rem) { .axis { grid-template-columns: 1fr auto; } .axis svg, .axis p { grid-column: 1 / -1; } }
@media print { body { max-width: none; font-size: 12px; } .axis { break-inside: avoid; } }
"""


def page(report: Report) -> str:
    """The whole file."""
    name = html.escape(report.name)
    parts = [
        f"<h1>{name}</h1>",
        f"<p>{html.escape(report.headline)}. Each run has {report.steps:,} steps.</p>",
        *([f'<p class="warning" role="alert">{html.escape(report.warning)}</p>'] if report.warning else []),
        _key(report),
        *(_row(report, each) for each in report.axes),
        "<h2>Nearest relatives</h2>",
        _relatives(report),
        "<h2>How to read this</h2>",
        "<p>A score is between 0 and 1. What is learnt is counted above chance. A preference is a share of answers, "
        "and is told only where the model has learnt what both rules say. <i>More</i> and <i>less</i> compare with the "
        "median of the known models, run by run on the same examples, with an interval that is corrected for the "
        "number of axes. <i>Alike</i>: the interval lies within ± the margin of the axis. <i>Cannot tell</i>: it does "
        "neither. There is no overall score: no axis is better than another.</p>",
        *_own_probes(report),
        "<h2>Every run</h2>",
        _scores(report),
        *_checks(report),
        "<h2>Made with</h2>",
        f'<p class="small">{_made_with(report)}</p>',
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}: a bias profile</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main>\n{chr(10).join(parts)}\n</main></body></html>\n"
    )


def _across(value: float) -> str:
    return f"{LEFT + min(max(value, 0.0), 1.0) * (RIGHT - LEFT):.1f}"


def _key(report: Report) -> str:
    there = set(report.population["model"])
    dots = [
        (name, f'<circle class="{style}" cx="6" cy="6" r="5"/>') for name, style in LANDMARKS.items() if name in there
    ]
    dots = [(report.name, '<path class="own" d="M6 0 L12 6 L6 12 L0 6 Z"/>'), *dots]
    dots.append(("other known models", '<circle class="dot" cx="6" cy="6" r="4"/>'))
    dots.append(("median of known models", '<line class="median" x1="6" x2="6" y1="1" y2="11"/>'))
    shown = [
        f'<span><svg viewBox="0 0 12 12" aria-hidden="true">{dot}</svg> {html.escape(name)}</span>'
        for name, dot in dots
    ]
    # blanks between them, or a narrow screen has no place for a new line
    return f'<p class="key small">{" ".join(shown)} Every line goes from 0 to 1.</p>'


def _row(report: Report, each: Compared) -> str:
    others = report.known[each.axis].dropna() if each.axis in report.known else {}
    dots = [f'<circle class="dot" cx="{_across(x)}" cy="9" r="4"/>' for n, x in others.items() if n not in LANDMARKS]
    dots += [
        f'<circle class="{style}" cx="{_across(others[name])}" cy="9" r="5"/>'
        for name, style in LANDMARKS.items()
        if name in others
    ]
    if each.of:
        dots.append(f'<line class="median" x1="{_across(each.others)}" x2="{_across(each.others)}" y1="12" y2="22"/>')
    own, said = "", "not every run learnt what it asks"
    if each.word != NOTHING:
        x, said = float(_across(each.value)), number(each.value, ".2f")
        own = f'<path class="own" d="M{x} 20 l6 6 l-6 6 l-6 -6 Z"/>'
    if not math.isnan(each.low):
        own = f'<line class="interval" x1="{_across(each.low)}" x2="{_across(each.high)}" y1="26" y2="26"/>{own}'
        said += f" [{number(each.low, '.2f')}, {number(each.high, '.2f')}]"
    if each.axis in report.rows_apart:
        said += f"; {NOT_ASKED}"
    if each.of and each.word != NOTHING:
        said += f", above {each.place} of {each.of} known models, whose median is {number(each.others, '.2f')}"
    elif each.of:
        said += f"; median of known models {number(each.others, '.2f')}"
    label = html.escape(f"{each.axis}: {said}")
    picture = (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}"><line class="rule" x1="{LEFT}" '
        f'x2="{RIGHT}" y1="17" y2="17"/>{"".join(dots)}{own}</svg>'
    )
    seen = "" if math.isnan(each.visible) else f" {_seen(each.visible)}"
    meaning = _sentence(report.meaning(each.axis))
    caption = f"{meaning[:1].upper()}{meaning[1:]} {_sentence(said)}{seen}"
    words = f'<p class="small">{html.escape(caption)}</p>'
    return f'<section class="axis"><b>{html.escape(each.axis)}</b><span>{each.word}</span>{picture}{words}</section>'


def _seen(visible: float) -> str:
    """How small a difference can be seen, of scores between 0 and 1."""
    if visible >= 1:
        return "Its runs differ so much that no difference can be seen."
    return f"Differences below {number(visible, '.2f')} are not seen."


def _sentence(text: str) -> str:
    """With a mark at its end."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _own_probes(report: Report) -> list[str]:
    """What each probe of one's own stands for, with its chance, its ceiling and its steps."""
    if not report.own_probes:
        return []
    rows = []
    for name, each in report.own_probes.items():
        words = [_sentence(each.asks)]
        if each.rules:
            words.append(f"A value is the share of answers by one of two rules: {', not '.join(each.rules)}.")
        words += [f"Stands for: {_sentence(each.claim)}"] * bool(each.claim)
        words += [f"After {_sentence(each.source)}"] * bool(each.source)
        words += [f"{each.file}, SHA-256 {each.sha256[:16]}…."]
        numbers = (number(each.chance, ".2f"), number(each.ceiling, ".2f"), f"{report.steps:,}")
        cells = "".join(f'<td class="n">{x}</td>' for x in numbers)
        rows.append(
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(each.axis)}</td>{cells}"
            f"<td>{html.escape(' '.join(words))}</td></tr>"
        )
    return [
        "<h2>Probes of your own</h2>",
        "<p>Chance is the accuracy of the most frequent answer. Rows of probes that no known model was asked have the "
        "interval of their runs alone.</p>",
        '<div class="wide" tabindex="0"><table><thead><tr><th>probe</th><th>axis</th><th class="n">chance</th>'
        '<th class="n">ceiling</th><th class="n">steps</th><th>what it asks and stands for</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>",
    ]


def _relatives(report: Report) -> str:
    if not len(report.nearest()):
        return f'<p class="small">{html.escape(report.no_relatives.capitalize())}.</p>'
    rows = [
        f'<tr><td>{html.escape(str(name))}</td><td class="n">{number(apart, ".2f")}</td></tr>'
        for name, apart in report.nearest(5).items()
    ]
    return (
        '<table><thead><tr><th>model</th><th class="n">mean difference over axes</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _asks(report: Report, probe: str) -> str:
    known = report.own_probes.get(probe) or EVERY_PROBE.get(probe)
    return known.asks if known else ""


def _scores(report: Report) -> str:
    table = report.scores.pivot_table(
        index=["axis", "probe"], columns="number", values="value", dropna=False, sort=False, observed=True
    ).dropna(how="all")
    head = "".join(f'<th class="n">run {run}</th>' for run in table.columns)
    rows = []
    for (axis, probe), values in table.iterrows():
        cells = "".join(f'<td class="n">{"–" if math.isnan(x) else number(x, ".2f")}</td>' for x in values)
        asks = html.escape(_asks(report, probe), quote=True)
        rows.append(f'<tr><td>{html.escape(axis)}</td><td title="{asks}">{html.escape(probe)}</td>{cells}</tr>')
    return (
        f'<div class="wide" tabindex="0"><table><thead><tr><th>axis</th><th>probe</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _checks(report: Report) -> list[str]:
    if not report.checks:
        return []
    rows = "".join(f"<tr><td>{html.escape(n)}</td><td>{html.escape(s)}</td></tr>" for n, s in report.checks.items())
    return ["<h2>Checks</h2>", f"<table><tbody>{rows}</tbody></table>"]


def _made_with(report: Report) -> str:
    rates = ", ".join(f"{probe} {rate:g}" for probe, rate in report.rates.items())
    packages = ", ".join(f"{name} {version}" for name, version in report.packages.items())
    source = f"{report.source}, SHA-256 {report.sha256[:16]}…. " if report.source else ""
    return html.escape(
        f"{source}Population {report.population_sha256[:16]}…. Learning rates: {rates}. "
        f"{report.minutes:.1f} minutes of one core, {report.machine}; {packages}."
    )
