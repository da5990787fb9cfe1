"""The pages about the book itself, and every list of chapters, studies and data: made from what the studies declare."""

from inductive_bias.record.chapters import chapter_numbers, chapter_of, chapter_table, chapters, table_of_contents
from inductive_bias.record.claims import (
    all_claims,
    counted,
    fragile_list,
    fragile_verdicts,
    headline_list,
    headline_verdicts,
    open_studies,
    verdict_counts,
)
from inductive_bias.record.corrections import (
    changed_verdicts,
    corrected_rules,
    correction_list,
    corrections_in_words,
    dropped_claims,
)
from inductive_bias.record.effects import draw_effects, drawn_and_not, relative_effects
from inductive_bias.record.errors import error_rates, error_table
from inductive_bias.record.generated_docs import made, write_tables
from inductive_bias.record.landing_page import (
    claim_browser,
    claim_mosaic,
    facts,
    own_facts,
    part_cards,
    shown_claims,
    ways,
)
from inductive_bias.record.open_claims import (
    beyond_table,
    draw_needed,
    needs_table,
    open_claims,
    summary,
    visible_table,
)
from inductive_bias.record.publications import (
    details,
    minutes_per_trial,
    publications,
    published_entries,
    table_or_nothing,
)

__all__ = [
    "all_claims",
    "beyond_table",
    "changed_verdicts",
    "chapter_numbers",
    "chapter_of",
    "chapter_table",
    "chapters",
    "claim_browser",
    "claim_mosaic",
    "corrected_rules",
    "correction_list",
    "corrections_in_words",
    "counted",
    "details",
    "draw_effects",
    "draw_needed",
    "drawn_and_not",
    "dropped_claims",
    "error_rates",
    "error_table",
    "facts",
    "fragile_list",
    "fragile_verdicts",
    "headline_list",
    "headline_verdicts",
    "made",
    "minutes_per_trial",
    "needs_table",
    "open_claims",
    "open_studies",
    "own_facts",
    "part_cards",
    "publications",
    "published_entries",
    "relative_effects",
    "shown_claims",
    "summary",
    "table_of_contents",
    "table_or_nothing",
    "verdict_counts",
    "visible_table",
    "ways",
    "write_tables",
]
