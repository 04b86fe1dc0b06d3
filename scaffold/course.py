"""The register of the labs: the only place that knows which labs there are and what belongs to each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent  # the kit, or a practice folder made from it
REFERENCE = ROOT / "solutions" if (ROOT / "solutions").is_dir() else None  # a practice folder has none


@dataclass(frozen=True)
class Lab:
    """One lab.

    `tasks` are what the student writes. `checkpoints` are the chapter's tests and `python_tests` are what Python adds;
    both are names of test functions, and all of them must pass. `bonus_tests` are counted apart. `needs` are the labs
    whose code this lab's code imports.
    """

    number: str
    title: str
    tasks: tuple[str, ...]
    checkpoints: tuple[str, ...]
    python_tests: tuple[str, ...]
    bonus_tests: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    is_bonus: bool = False

    @property
    def folder(self) -> str:
        """The lab's folder in each tree, and its pytest marker: `lab_10_1`."""
        return "lab_" + self.number.replace(".", "_")

    @property
    def test_file(self) -> Path:
        return ROOT / "tests" / f"test_{self.folder}.py"

    @property
    def required_tests(self) -> tuple[str, ...]:
        return self.checkpoints + self.python_tests


LABS = (
    Lab(
        "10.1",
        "path_to",
        tasks=("index_by_id", "parent_of", "path_to"),
        checkpoints=("test_path_is_the_chain_of_the_chosen_leaf", "test_ids_are_unique_and_entries_are_copied"),
        python_tests=("test_a_long_chain_needs_no_recursion", "test_what_must_be_read_is_checked"),
    ),
    Lab(
        "10.2",
        "parse_session_entry",
        tasks=(
            "string",
            "name",
            "name_or_null",
            "word",
            "number",
            "amount",
            "boolean",
            "array",
            "record",
            "variant",
            "json_value",
            "parse_session_entry",
        ),
        checkpoints=("test_complete_entries_are_accepted_and_copied", "test_what_is_no_entry_is_refused_by_its_path"),
        python_tests=(
            "test_python_values_that_only_look_like_json_are_refused",
            "test_text_that_utf8_cannot_write_is_refused",
            "test_depth_has_a_limit",
            "test_the_first_wrong_field_is_named",
        ),
    ),
    Lab(
        "10.3",
        "InMemorySessionStore",
        tasks=("check_place", "InMemorySessionStore.append", "InMemorySessionStore.entries"),
        checkpoints=(
            "test_append_takes_a_copy_at_the_call_and_keeps_the_order",
            "test_a_refused_entry_leaves_no_trace",
        ),
        python_tests=("test_append_is_done_without_await", "test_a_cancelled_caller_takes_nothing_back"),
        needs=("10.2",),
    ),
    Lab(
        "10.4",
        "recover_jsonl",
        tasks=("is_blank", "unique_keys", "parse_line", "recover_jsonl"),
        checkpoints=(
            "test_committed_lines_become_entries",
            "test_a_torn_tail_is_never_an_entry",
            "test_a_damaged_line_is_named_by_its_number",
        ),
        python_tests=(
            "test_an_error_tells_what_kind_of_damage_it_is",
            "test_lines_end_at_newlines_only",
            "test_json_that_python_reads_too_kindly_is_refused",
        ),
        needs=("10.2",),
    ),
    Lab(
        "10.5",
        "JsonlSessionStore",
        tasks=(
            "to_line",
            "recover_bytes",
            "as_fault",
            "JsonlSessionStore.open",
            "JsonlSessionStore.append",
            "JsonlSessionStore._refusal",
            "JsonlSessionStore._commit",
            "JsonlSessionStore._raise_fault",
            "JsonlSessionStore.read",
            "JsonlSessionStore.entries",
            "JsonlSessionStore.drain",
            "JsonlSessionStore.aclose",
        ),
        checkpoints=(
            "test_lines_are_only_added_and_a_new_store_reads_them",
            "test_lines_are_made_at_the_call_and_written_in_order",
            "test_after_a_failed_write_the_file_is_left_alone",
        ),
        python_tests=(
            "test_a_torn_tail_is_read_and_never_written_to",
            "test_bytes_are_split_before_they_are_decoded",
            "test_a_damaged_file_is_not_opened",
            "test_cancelling_a_caller_stops_no_write",
            "test_a_write_that_is_broken_off_taints_the_store",
            "test_reading_waits_for_its_turn",
            "test_closing_waits_and_then_refuses",
        ),
        needs=("10.2", "10.3", "10.4"),
    ),
    Lab(
        "10.6",
        "messages_on_path",
        tasks=("messages_on_path", "branch_stats"),
        checkpoints=("test_messages_of_one_branch_are_complete", "test_messages_are_copies"),
        python_tests=("test_errors_are_those_of_path_to",),
        bonus_tests=("test_branch_stats_counts_one_branch",),
        needs=("10.1",),
    ),
    Lab(
        "10.7",
        "repair_unterminated_tail",
        tasks=("read_with_status", "write_backup", "replace", "fingerprint", "repair_unterminated_tail"),
        checkpoints=(),
        python_tests=(
            "test_only_the_torn_tail_is_cut_off",
            "test_a_file_that_is_all_tail_becomes_empty",
            "test_nothing_to_repair_means_nothing_is_done",
            "test_a_repaired_file_needs_no_repair",
            "test_a_damaged_line_is_refused",
            "test_the_backup_is_complete_and_never_overwrites",
            "test_a_failed_step_leaves_the_file_as_it_was",
            "test_a_spoilt_backup_is_noticed",
            "test_an_odd_disk_is_no_failure",
            "test_what_replaces_the_file_is_on_the_disk",
            "test_a_file_that_changes_meanwhile_is_left_alone",
            "test_the_file_keeps_its_mode_and_its_links",
        ),
        needs=("10.4", "10.5"),
        is_bonus=True,
    ),
)


def find_lab(number: str) -> Lab:
    """Return the lab with this number. Raises KeyError, with the numbers that there are."""
    for lab in LABS:
        if lab.number == number:
            return lab
    raise KeyError(f"there is no lab {number}; there are {', '.join(lab.number for lab in LABS)}")
