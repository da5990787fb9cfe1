"""What models of images prefer: known models on small probes, beside which a model of one's own can stand."""

from inductive_bias.studies.image_profiles.design import DESIGN, TUNING
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="image_profiles",
    question="What do models of images prefer?",
    part="The bias profile of a model",
    design=DESIGN,
    pages=(
        Page(
            "profiles/architectures",
            question="Does a model go by a thing's shape, place or texture, and does it know the thing elsewhere?",
            tests="nothing in advance: what image models prefer is shown, with a rule for which numbers repeat",
        ),
    ),
    tuning=TUNING,
    sizes={
        "smoke": Size("generated images", "three tiny models, four probes", "a quarter of a minute"),
        "laptop": Size(
            "generated images and digits, seven probes",
            "nine models of 5,000 and 20,000 weights",
            "half an hour on 2 cores",
        ),
        "paper": Size("the same, ten times as many steps", "the same"),
    },
)
