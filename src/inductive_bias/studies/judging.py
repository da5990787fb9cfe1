"""What a study found, in words: every claim with its verdict, effect and interval, of runs that are there."""

from collections.abc import Iterator

from inductive_bias.errors import SettingError
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.scales import check_scale
from inductive_bias.studies.study import Study


def verdict_lines(study: Study, scale: str) -> Iterator[str]:
    """A paragraph for every claim: its id and sentence, its verdict, and how it was judged. Nothing is trained.

    Raises:
        SettingError: for an unknown scale, a study without claims, or one whose runs are not all there.
    """
    check_scale(scale)
    if not study.claims:
        raise SettingError(f"study {study.name!r} has no claims, so that there is nothing to judge")
    if not study.is_published(scale):
        done, total = study.progress(scale)
        if done < total:
            raise SettingError(
                f"{total - done} of {total} trials of {study.name} at scale {scale} have not been run: inductive-bias "
                f"run first, with --scale {scale}"
            )
    results = study.results(scale)
    for claim in study.claims:
        finding = claim.judge(results)
        yield verdict_line(claim, finding)
        verdict, word = finding.judgement.verdict, claim.word(finding)
        reason = finding.judgement.reason.replace(f": {verdict}", f": {word}", 1)
        yield f"    {'; '.join(filter(None, [reason, finding.note]))}"
    yield results.provenance


def verdict_line(claim: Claim, finding: Finding) -> str:
    """``R1  reproduced: Attention heads …``."""
    return f"{claim.id}  {claim.word(finding)}: {claim.statement}"
