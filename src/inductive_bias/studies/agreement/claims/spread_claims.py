"""What is asked of the spread over trials: does a model with more of the recurrent bias depend less on chance?

The text says that the spread of accuracy and of calibration error falls from model to model, and draws both as error
bars of four runs. A margin cannot come from these: the bar of the LSTM's accuracy is .0001 of a drawing that is good to
about .0003, the logs have .0004 on another test set, and four runs tell a standard deviation within a factor of three
or so. The margins here are our own. The data were known when they were written.
"""

from itertools import pairwise

from inductive_bias import verdicts
from inductive_bias.studies.agreement.design import LADDER, STRONG, WEAK, cell
from inductive_bias.studies.agreement.measures import A_ACC, ACCURACY, ECE_PAPER, spread_ratio
from inductive_bias.studies.claims import Finding, after_published_looks, in_words
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

#: In octaves: the spread must be half as large. An error bar that is half as long is otherwise worth four times the
#: runs; a smaller gain is hardly worth another architecture.
HALF_THE_SPREAD = 1.0
#: In octaves, of each of the three steps: together they halve it.
STEP = HALF_THE_SPREAD / 3
#: Numbers of runs at which the main training set was looked at: four were published, and the page of the ladder told of
#: them, before there were ten.
LOOKS = (4, 10)


def smaller_at_the_top(results: Results) -> Finding:
    """Spread of accuracy over trials: of the bidirectional Transformer, in octaves above that of the LSTM."""
    rule = verdicts.exceeds(_whole(results, ACCURACY), HALF_THE_SPREAD)
    return Finding(after_published_looks(results, rule, LOOKS), note=in_words(_whole(results, A_ACC), units=True))


def smaller_with_every_step(results: Results) -> Finding:
    """Spread of accuracy over trials: of each model of the ladder, in octaves above that of the next one."""
    steps, others = (_steps(results, measure) for measure in (ACCURACY, ECE_PAPER))
    rule = verdicts.ordered(steps, STEP)
    return Finding(after_published_looks(results, rule, LOOKS), note=in_words(*steps, *others, units=True))


def smaller_in_calibration(results: Results) -> Finding:
    """Spread of the calibration error over trials (the paper's number of bins), as that of accuracy."""
    rule = verdicts.exceeds(_whole(results, ECE_PAPER), HALF_THE_SPREAD)
    return Finding(after_published_looks(results, rule, LOOKS))


def _whole(results: Results, measure: str) -> Contrast:
    return spread_ratio(results, measure, cell(WEAK), cell(STRONG))


def _steps(results: Results, measure: str) -> list[Contrast]:
    return [spread_ratio(results, measure, cell(lower), cell(upper)) for lower, upper in pairwise(LADDER)]
