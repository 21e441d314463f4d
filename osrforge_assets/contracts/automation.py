"""What the automation remembers in the store: the inbox's files, failed runs, and what a backfill was granted."""

from osrforge_assets.contracts.base import Contract


class InboxEntry(Contract):
    """One source in the inbox: a file, or the files of one session.

    Attributes:
        identity: Digest of lane and place in the inbox.
        name: The file's name as it may be shown.
        signature: Digest of names, sizes and times of its files, as they were last seen.
        key: The partition that it was registered as; None while it is still copied, or if it was refused.
        code: Code of the error that refused it, None if none did.
        message: That error's sentence.
    """

    identity: str
    name: str
    signature: str
    key: str | None = None
    code: str | None = None
    message: str | None = None

    @property
    def is_handled(self) -> bool:
        """Whether it was registered or refused in the state that its signature names."""
        return self.key is not None or self.code is not None


class InboxRecord(Contract):
    """What one lane of the inbox held at the last look; a file that is gone leaves it.

    Attributes:
        lane: `modules`, `transcripts` or `narrations`.
        entries: Its sources, by name.
    """

    lane: str
    entries: tuple[InboxEntry, ...] = ()


class FailedRun(Contract):
    """A run that failed, as the ledger keeps it.

    Attributes:
        run: Its id.
        at: When it ended, as ISO 8601 in UTC.
        job: Its job.
        assets: The assets that it was to make.
        partitions: Those that were not made, as far as the run says it; else those that it was for.
        code: Code of the expected failure, `unexpected` if it was none, `lost` if its process ended without a word.
        message: What happened, in one line.
        remedy: What a person can do, empty if nobody knows.
    """

    run: str
    at: str
    job: str
    assets: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    code: str
    message: str
    remedy: str = ""


class FailureLedger(Contract):
    """The newest failed runs.

    Attributes:
        runs: The newest last, at most `MAX_FAILED_RUNS`.
    """

    runs: tuple[FailedRun, ...] = ()


class GrantedNeed(Contract):
    """A partition that a backfill may make although the automation would not, or has given it up.

    Attributes:
        key: `asset|partition`.
        wanted: The need that it was granted for; a change of its inputs is another need and was not granted.
        number: Counts the grants of a store, so that each one is taken up once.
    """

    key: str
    wanted: str
    number: int


class BackfillGrants(Contract):
    """What was granted in one night.

    Attributes:
        night: Date of the night, as ISO 8601.
        number: The newest grant's number.
        estimated_usd: What everything granted in it is expected to cost, by what its like cost before.
        needs: What was granted.
    """

    night: str = ""
    number: int = 0
    estimated_usd: float = 0.0
    needs: tuple[GrantedNeed, ...] = ()
