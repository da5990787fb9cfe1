"""What the study tests, by page: depth, speed, explanation."""

from inductive_bias.studies.automata.claims.depth import CLAIMS as DEPTH
from inductive_bias.studies.automata.claims.explanation import CLAIMS as EXPLANATION
from inductive_bias.studies.automata.claims.speed import CLAIMS as TIMES

CLAIMS = DEPTH + TIMES + EXPLANATION
