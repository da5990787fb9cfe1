"""A schematic shows the model as it is, and can be read."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.patches import FancyBboxPatch

from inductive_bias.analysis.reach import reads_directly
from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.plotting import architectures as drawing
from inductive_bias.plotting import relative_luminance

SPECS = [TransformerSpec(causal=c, shared=s, layers=3, heads=2, width=4) for c in (False, True) for s in (False, True)]
SPECS.append(LSTMSpec(layers=2, width=4))
every = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def contrast(one, other):
    dark, light = sorted(relative_luminance(mpl.colors.to_rgb(colour)) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


@every
@pytest.mark.parametrize("tokens", [("",), drawing.TOKENS], ids=lambda t: f"T{len(t)}")
def test_there_is_a_box_for_every_token_for_every_state_and_for_the_answer(ax, spec, tokens):
    drawing.architecture(spec, ax=ax, tokens=tokens)
    assert len(boxes(ax)) == len(tokens) * (1 + spec.layers) + 1
    names = [text.get_text() for text in ax.texts if text.get_text()]
    assert all(names.count(word) == 1 for word in tokens if word)
    at = drawing.read_out_at(spec, len(tokens))
    assert ("CLS" if at == 0 else "BOS") in names
    (answer,) = (text for text in ax.texts if text.get_text() == "are?")
    assert answer.get_position() == pytest.approx((at, spec.layers + 0.95))


@every
def test_the_lines_are_what_the_model_s_gradients_say(spec):
    tokens = torch.tensor([1, 5, 4, 7, 2])
    encoder = spec.build(vocabulary=11, positions=9, classes=2).encoder.double().eval()
    first = [reading for reading in drawing.readings(spec, len(tokens)) if reading.reader[0] == 1]
    drawn = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    for (_, i), (_, j) in first:
        drawn[i, j] = True
    assert torch.equal(drawn, reads_directly(encoder, tokens))
    assert len(drawing.readings(spec, len(tokens))) == spec.layers * len(first)


@every
def test_states_have_one_colour_for_each_set_of_weights(ax, spec):
    drawing.architecture(spec, ax=ax)
    colours = {box.get_facecolor() for box in boxes(ax)}
    not_states = {mpl.colors.to_rgba(c) for c in (drawing.TOKEN_COLOUR, drawing.ANSWER_COLOUR)}
    encoder = spec.build(vocabulary=11, positions=9, classes=2).encoder
    assert len(colours - not_states) == (spec.layers if spec.kind == "lstm" else len(encoder.blocks))


def test_all_text_is_inside_its_axes_and_contrasts_with_its_ground():
    figure = drawing.architectures(SPECS)
    figure.canvas.draw()
    for ax in figure.axes:
        frame = ax.get_window_extent()
        for text in filter(lambda text: text.get_text(), ax.texts):
            inside = text.get_window_extent()
            assert frame.x0 <= inside.x0 < inside.x1 <= frame.x1, text
            assert frame.y0 <= inside.y0 < inside.y1 <= frame.y1, text
            grounds = (
                [
                    box.get_facecolor()
                    for box in boxes(ax)
                    if box.contains_point(ax.transData.transform(text.get_position()))
                ]
                if text.get_ha() == "center"
                else ["white"]
            )
            assert all(contrast(text.get_color(), ground) >= 4.5 for ground in grounds)
    plt.close(figure)


@every
def test_every_token_s_name_fits_into_its_box(spec):
    figure = drawing.architectures([spec])
    figure.canvas.draw()
    (ax,) = (ax for ax in figure.axes if ax.get_title())
    for text, box in ((t, b) for t in ax.texts for b in boxes(ax) if t.get_ha() == "center" and t.get_text()):
        if box.contains_point(ax.transData.transform(text.get_position())):
            assert text.get_window_extent().width <= box.get_window_extent().width
    plt.close(figure)


def test_states_stand_out_from_the_page_and_colours_from_each_other():
    # WCAG 2.2: graphics need 3:1; every box has an outline that does, on white ground
    assert contrast(drawing.INK, "white") >= 3
    assert len({*drawing.LAYER_COLOURS, drawing.SHARED_COLOUR}) == len(drawing.LAYER_COLOURS) + 1


def test_a_figure_has_an_opaque_white_ground_a_panel_a_model_and_a_key(tmp_path):
    figure = drawing.architectures(SPECS)
    figure.savefig(tmp_path / "f.png")
    assert tuple(plt.imread(tmp_path / "f.png")[0, 0]) == (1, 1, 1, 1)
    assert [ax.get_title() for ax in figure.axes] == [*(spec.name for spec in SPECS), ""]
    assert {text.get_text() for text in figure.axes[-1].texts} >= set(drawing.KEY.values())
    plt.close(figure)


def test_a_schematic_without_tokens_or_of_too_many_layers_is_refused(ax):
    with pytest.raises(ValueError, match="tokens and 1 to 4 layers, not"):
        drawing.architecture(SPECS[0], ax=ax, tokens=())
    with pytest.raises(ValueError, match="and 5"):
        drawing.architecture(LSTMSpec(layers=5), ax=ax)
