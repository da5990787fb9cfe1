"""The window of a stable recurrence: how far back an echo is heard, and where it may be cut."""

from collections.abc import Sequence

from inductive_bias.plotting.interactive.base import PageWidget, Slider, page_widget

#: λ and ε of the sliders.
CONTRACTIONS = (0.3, 0.5, 0.6, 0.7, 0.76, 0.8, 0.85, 0.9, 0.93, 0.95, 0.964, 0.98, 0.99, 0.995)
ERRORS = (0.3, 0.1, 0.03, 0.01, 0.003, 1e-3, 1e-4, 1e-5, 1e-6)


def window_widget(
    *,
    contraction: float = 0.9,
    error: float = 0.01,
    instead: str,
    contractions: Sequence[float] = CONTRACTIONS,
    errors: Sequence[float] = ERRORS,
) -> PageWidget:
    """Sliders for λ and ε; the echo of one input, λⁿ after n steps, and the window k = ln(1/((1 − λ)ε))/ln(1/λ).

    That is the window of a λ-contractive network whose inputs move its state by at most 1 per step (Miller & Hardt
    2019, section 3.1), and the lag at which a recurrence encoding head with |λ| may be cut: both lose λ^k/(1 − λ) at
    most. The script offers the formula to tests as ``element.steps(contraction, error)``.

    Args:
        contraction: λ at first, one of ``contractions``.
        error: ε at first, one of ``errors``.
        instead: a sentence for who has no JavaScript.
        contractions: of the slider, rising, in (0, 1).
        errors: of the slider, falling, in (0, 1).

    Raises:
        ValueError: if a number is not of its slider, or outside (0, 1).
    """
    for name, value, known in (("contraction", contraction, contractions), ("error", error, errors)):
        if wrong := [each for each in known if not 0 < each < 1]:
            raise ValueError(f"{name} must lie strictly between 0 and 1, not {wrong[0]:g}")
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(f'{each:g}' for each in known)}, not {value:g}")
    return page_widget(
        "window",
        {"contractions": list(contractions), "errors": list(errors)},
        controls=[
            Slider("contraction", "contraction λ", 0, len(contractions) - 1, list(contractions).index(contraction)),
            Slider("error", "error ε", 0, len(errors) - 1, list(errors).index(error)),
        ],
        pictures={"echo": "What is left of one input, by steps since", "window": "The window that is enough, in steps"},
        text="Interactive echo of a stable recurrence: the window by contraction and error.",
        instead=instead,
    )
