"""What text and paper say of agreement, and the rule by which each sentence is judged; written before the results.

A smallest effect worth the name is half of the paper's where it reports one; others are stated here. Runs are paired as
:func:`~inductive_bias.studies.agreement.measures.difference` says, and ``FAILED`` there is what a diverged run counts
as. A student is compared with its twin: the same model with the same first weights, order of sentences and number of
steps, taught by its own kind.

What a student gains from an LSTM can be asked only where the LSTM has mastered the task itself. What is asked of the
training data, of the spread over trials, of final representations and of generated sentences stands in modules of its
own.
"""

from inductive_bias.studies.agreement.claims.data_claims import (
    data_matter,
    gap_between_numbers,
    more_with_little_data,
    more_with_little_data_in_accuracy,
    sample_efficiency,
)
from inductive_bias.studies.agreement.claims.grammar_claims import (
    every_rung,
    gain_from_extra_data,
    harm_from_extra_data,
    student_gain,
    weak_teacher_harm_in_grammar,
)
from inductive_bias.studies.agreement.claims.similarity_claims import self_distillation_leaves_them, trials_vary
from inductive_bias.studies.agreement.claims.spread_claims import (
    smaller_at_the_top,
    smaller_in_calibration,
    smaller_with_every_step,
)
from inductive_bias.studies.agreement.claims.teacher_claims import (
    attractors_beyond_the_twin,
    better_calibrated_than_the_twin,
    between_the_labels_and_the_teacher,
    beyond_self_distillation,
    bins_matter,
    every_step_of_the_ladder,
    robust_to_teacher_mode,
    smoother_path,
    teacher_ladder,
    towards_the_teacher,
    weak_teacher_harms,
)
from inductive_bias.studies.claims import Claim

PAPER = "Abnar, Dehghani & Zuidema 2020"
BLOG = "Abnar 2020, Distilling Inductive Biases"
RECURRENCE = "Abnar 2020, Recurrent Inductive Bias"
LOGS = "logs of its code (samiraabnar/Reflect)"
OWN_QUESTION = "a question of our own"
TEXT_5 = "Parent 2023, How do transformers implement recurrence?"
PAGE_LADDER, PAGE_DISTILLATION, PAGE_REPRESENTATIONS, PAGE_GRAMMAR = (
    f"recurrence/{page}" for page in ("ladder", "inheritance", "representations", "grammar")
)

#: At what size the published verdicts were found: as many sentences as in the paper (157,700), and smaller models.
REGIME_REAL = "150,000 real sentences, 3 of 60 epochs, width 64–80 (128–256)"
REGIME_DRAWN = "generated grammar, {} sentences, {} draws"
TEN_RUNS, FIVE_PAIRS = f"{REGIME_REAL}, 10 runs", f"{REGIME_REAL}, 5 pairs of runs"

CLAIMS = (
    Claim(
        "A5",
        PAGE_LADDER,
        f"{PAPER}; {BLOG}, figure of accuracy and ECE",
        "More of the recurrent bias is better: "
        "bidirectional Transformer < sequential < sequential Universal < LSTM in accuracy, and the reverse in ECE.",
        ".954 < .964 < .969 < .977; ECE .055 > .045 > .037 > .028",
        every_step_of_the_ladder,
        headline=True,
        regime=TEN_RUNS,
    ),
    Claim(
        "A6",
        PAGE_DISTILLATION,
        f"{PAPER}; {BLOG}, figure of distilled models",
        "A bidirectional Transformer learns best from "
        "an LSTM, then from a sequential Universal Transformer, then from the rest.",
        ".960 > .957 > .956 ≈ .955",
        teacher_ladder,
        regime=TEN_RUNS,
    ),
    Claim(
        "A7",
        PAGE_DISTILLATION,
        f"{PAPER}; {BLOG}, figure of distilled models",
        "Each of the three Transformers is more "
        "accurate with an LSTM as a teacher than with labels, and stays less accurate than the LSTM.",
        "labels .954, .964, .969; students .960, .972, .975; LSTM .977",
        between_the_labels_and_the_teacher,
        headline=True,
        regime=TEN_RUNS,
    ),
    Claim(
        "A8",
        PAGE_DISTILLATION,
        f"{PAPER}, {LOGS}",
        "A bidirectional Transformer as a teacher lowers an LSTM's A-acc, by more than an LSTM as a teacher does.",
        "≈ .76 against ≈ .83 (≈ .87 without a teacher)",
        weak_teacher_harms,
        regime=TEN_RUNS,
    ),
    Claim(
        "A23",
        PAGE_DISTILLATION,
        f"{PAPER}; {BLOG}, figure of distilled models",
        "A bidirectional Transformer is more accurate with an LSTM as a teacher than with a teacher of its own kind.",
        ".9597 against .9554",
        beyond_self_distillation,
        regime=TEN_RUNS,
    ),
    Claim(
        "A23-ece",
        PAGE_DISTILLATION,
        f"{PAPER}; {BLOG}, figure of distilled models",
        "A bidirectional Transformer is better "
        "calibrated with an LSTM as a teacher than with a teacher of its own kind (ECE, 10⁶ bins).",
        ".0483 against .0537",
        better_calibrated_than_the_twin,
        regime=TEN_RUNS,
    ),
    Claim(
        "A23-attractors",
        PAGE_DISTILLATION,
        OWN_QUESTION,
        "A bidirectional Transformer has a higher A-acc with an LSTM as a teacher than "
        "with a teacher of its own kind, by .01.",
        "not reported",
        attractors_beyond_the_twin,
        own=True,
        regime=TEN_RUNS,
    ),
    Claim(
        "A12",
        PAGE_LADDER,
        f"our question; {PAPER}, {LOGS}",
        "On sentences, the number of bins decides which of two models is better calibrated.",
        "sequential Universal Transformer and its LSTM student: ECE .037 < .039 with 10⁶ bins, .013 > .004 with 20",
        bins_matter,
        own=True,
        regime=TEN_RUNS,
    ),
    Claim(
        "A13",
        PAGE_REPRESENTATIONS,
        f"{PAPER}; {BLOG}, figure of final representations",
        "A bidirectional Transformer's representation moves towards the LSTMs when one teaches it.",
        "by eye, in a joint MDS",
        towards_the_teacher,
        regime=FIVE_PAIRS,
    ),
    Claim(
        "A24",
        PAGE_REPRESENTATIONS,
        f"{BLOG}, section on representations",
        "The final representations of bidirectional Transformers "
        "are less alike from run to run than those of LSTMs, by .05 of similarity.",
        "by eye, in a joint MDS",
        trials_vary,
        regime=FIVE_PAIRS,
    ),
    Claim(
        "A25",
        PAGE_REPRESENTATIONS,
        f"{BLOG}, section on representations",
        "Self-distillation does not change final "
        "representations: LSTMs and bidirectional Transformers that their own kind taught are as similar to models "
        "without a teacher as these are to each other, within .05.",
        "by eye, in a joint MDS",
        self_distillation_leaves_them,
        regime=FIVE_PAIRS,
    ),
    Claim(
        "A14",
        PAGE_REPRESENTATIONS,
        f"our question; {PAPER}; {BLOG}, figure of training paths",
        "A bidirectional Transformer taught by an LSTM takes a smoother path than its twin.",
        "shown for CNN → MLP only",
        smoother_path,
        own=True,
        regime=f"{TEN_RUNS}, 4 checkpoints",
    ),
    Claim(
        "A15",
        PAGE_LADDER,
        f"{RECURRENCE}; {BLOG}, figure of accuracy",
        "The accuracy of the LSTM varies at most half as much over trials as that of the bidirectional Transformer.",
        "drawn, in error bars of four runs that are too short to read",
        smaller_at_the_top,
        regime=TEN_RUNS,
    ),
    Claim(
        "A15-steps",
        PAGE_LADDER,
        f"{RECURRENCE}, figure of accuracy",
        "Accuracy varies a fifth less over trials with every step of the ladder: from the bidirectional to the "
        "sequential Transformer, to the sequential Universal one, to the LSTM.",
        "“a decreasing trend in the variance”, in error bars of four runs",
        smaller_with_every_step,
        primary=False,
        regime=TEN_RUNS,
    ),
    Claim(
        "A15-ece",
        PAGE_LADDER,
        f"{RECURRENCE}, figure of ECE",
        "The calibration error of the LSTM (10⁶ bins) varies at most half as much "
        "over trials as that of the bidirectional Transformer.",
        "“a decreasing trend in the variance”, in error bars of four runs",
        smaller_in_calibration,
        primary=False,
        regime=TEN_RUNS,
    ),
    Claim(
        "A16",
        PAGE_DISTILLATION,
        f"our question; {PAPER}, its code",
        "Dropout that stays on in the teacher changes by less than "
        "half what a bidirectional Transformer gains in A-acc from an LSTM.",
        "not reported",
        robust_to_teacher_mode,
        own=True,
        regime=f"{REGIME_REAL}, an LSTM without dropout",
    ),
    Claim(
        "AS",
        PAGE_LADDER,
        f"{RECURRENCE}, section on inductive bias",
        "A model with the right bias needs less data: an LSTM "
        "with a third of the sentences has a higher A-acc than a bidirectional Transformer with all of them, on real "
        "and on generated sentences.",
        "stated, not measured",
        sample_efficiency,
        regime="50,000 against 150,000 real, 3,000 against 10,000 generated sentences",
    ),
    Claim(
        "A26",
        PAGE_LADDER,
        f"{RECURRENCE}, introduction",
        "The LSTM's lead over the bidirectional Transformer in A-acc is "
        "larger where data are limited: with some smaller number of real sentences it is larger by .01 than with all.",
        "“especially when the data is limited”; no numbers",
        more_with_little_data,
        regime="2,000 to 150,000 real sentences, width 64 to 80, 4 runs",
    ),
    Claim(
        "A26-accuracy",
        PAGE_LADDER,
        f"{RECURRENCE}, introduction",
        "The LSTM's lead over the bidirectional Transformer in "
        "accuracy on natural sentences is larger where data are limited: with some smaller number of real sentences it "
        "is larger by .005 than with all.",
        "“especially when the data is limited”; no numbers",
        more_with_little_data_in_accuracy,
        primary=False,
        regime="2,000 to 150,000 real sentences, width 64 to 80, 4 runs",
    ),
    Claim(
        "A17",
        PAGE_LADDER,
        OWN_QUESTION,
        "The LSTM's lead depends on the training data. After plain sentences alone (a noun phrase, "
        "prepositional phrases, a verb) its lead over the bidirectional Transformer in A-acc is less than "
        "half of its lead after sentences of all kinds.",
        "not asked; with its own data .87 against .717",
        data_matter,
        own=True,
        regime="96,000 plain sentences, 5 epochs, width 64 to 80, 6 runs",
    ),
    Claim(
        "A18",
        PAGE_GRAMMAR,
        OWN_QUESTION,
        "On sentences of a generated grammar every step of the ladder raises A-acc.",
        "not asked",
        every_rung,
        own=True,
        regime=REGIME_DRAWN.format("3,000", 24),
    ),
    Claim(
        "A19",
        PAGE_GRAMMAR,
        OWN_QUESTION,
        "On generated sentences that both have learnt, a bidirectional Transformer gains from "
        "an LSTM's answers at least a tenth of the LSTM's lead in A-acc, beyond what its own kind gives.",
        "not asked",
        student_gain,
        own=True,
        regime=REGIME_DRAWN.format("3,000", 12),
    ),
    Claim(
        "A20",
        PAGE_GRAMMAR,
        OWN_QUESTION,
        "On generated sentences that both have learnt, a bidirectional Transformer as a teacher "
        "lowers an LSTM's A-acc by at least half of its lead.",
        "not asked",
        weak_teacher_harm_in_grammar,
        own=True,
        regime=REGIME_DRAWN.format("3,000", 12),
    ),
    Claim(
        "A21",
        PAGE_GRAMMAR,
        OWN_QUESTION,
        "If the LSTM labels three times as many generated sentences as it learnt from, a "
        "bidirectional Transformer gains from its answers at least half of its lead in A-acc.",
        "not asked",
        gain_from_extra_data,
        own=True,
        regime=REGIME_DRAWN.format("3,000 and 10,000", 8),
    ),
    Claim(
        "A22",
        PAGE_GRAMMAR,
        OWN_QUESTION,
        "If a bidirectional Transformer labels three times as many generated sentences as it "
        "learnt from, an LSTM that it teaches loses at least half of its lead in A-acc.",
        "not asked",
        harm_from_extra_data,
        own=True,
        regime=REGIME_DRAWN.format("3,000 and 10,000", 8),
    ),
    Claim(
        "Q30b",
        PAGE_DISTILLATION,
        TEXT_5,
        "A bidirectional Transformer favours singular subjects over plural ones by more than "
        "an LSTM does, after each of three training sets of real sentences of all kinds.",
        "asked; no numbers",
        gap_between_numbers,
        own=True,
        regime="12,000 to 40,000 real sentences, width 64 to 80, 4 runs",
    ),
)
