"""The pages about the book itself, and every list of chapters, studies and data: made from what the studies declare."""

from inductive_bias.record.advice import advice_table
from inductive_bias.record.answers import five_answers
from inductive_bias.record.beside_papers import beside_papers
from inductive_bias.record.chapters import chapter_numbers, chapter_of, chapters, table_of_contents
from inductive_bias.record.claim_rows import claim_browser, claim_rows, shown_claims
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
from inductive_bias.record.errors import error_rates, error_table
from inductive_bias.record.findings import finding_tables, findings, findings_in_words
from inductive_bias.record.generated_docs import made, write_tables
from inductive_bias.record.known_numbers import Known
from inductive_bias.record.landing_page import doors, how_much, own_facts, size_box
from inductive_bias.record.open_claims import on_two_cores, open_claims, summary
from inductive_bias.record.publications import (
    details,
    minutes_per_trial,
    publications,
    published_entries,
    table_or_nothing,
)
from inductive_bias.record.searches import chosen_settings, luck_in_words, luck_table
from inductive_bias.record.texts import (
    TEXTS,
    citations,
    claim_lines,
    judged_claims,
    open_text,
    reported_by_parent,
    text_chapters,
    text_facts,
    text_of,
)

__all__ = [
    "TEXTS",
    "Known",
    "advice_table",
    "all_claims",
    "beside_papers",
    "changed_verdicts",
    "chapter_numbers",
    "chapter_of",
    "chapters",
    "chosen_settings",
    "citations",
    "claim_browser",
    "claim_lines",
    "claim_rows",
    "corrected_rules",
    "correction_list",
    "corrections_in_words",
    "counted",
    "details",
    "doors",
    "dropped_claims",
    "error_rates",
    "error_table",
    "finding_tables",
    "findings",
    "findings_in_words",
    "five_answers",
    "fragile_list",
    "fragile_verdicts",
    "headline_list",
    "headline_verdicts",
    "how_much",
    "judged_claims",
    "luck_in_words",
    "luck_table",
    "made",
    "minutes_per_trial",
    "on_two_cores",
    "open_claims",
    "open_studies",
    "open_text",
    "own_facts",
    "publications",
    "published_entries",
    "reported_by_parent",
    "shown_claims",
    "size_box",
    "summary",
    "table_of_contents",
    "table_or_nothing",
    "text_chapters",
    "text_facts",
    "text_of",
    "verdict_counts",
    "write_tables",
]
