from hypothesis import given
from hypothesis import strategies as st

from transforms.describing.shell import Command, _split, _split_by_character, parse_shell


def test_pipelines_lists_redirects_and_comments_are_taken_apart():
    text = "cd /a && ls -la | grep 'x;y' > out.txt 2>&1; make # later\necho done"
    assert parse_shell(text) == (
        Command("cd", ("/a",)),
        Command("ls", ("-la",)),
        Command("grep", ("x;y",), ((">", "out.txt"), (">&", "1")), is_piped=True),
        Command("make"),
        Command("echo", ("done",)),
    )


def test_wrappers_and_assignments_give_way_to_the_program():
    text = "A=1 sudo -u bob env B=2 timeout 5 /usr/bin/git push; for f in *; do rm $f; done"
    assert parse_shell(text) == (
        Command("git", ("push",), is_privileged=True),
        Command("for", ("f", "in", "*")),
        Command("rm", ("$f",)),
    )


def test_nested_shells_and_substitutions_follow_their_command():
    assert parse_shell("bash -c 'rm x' && echo \"$(cat y)\"") == (
        Command("bash", ("-c", "rm x")),
        Command("rm", ("x",)),
        Command("echo", ("$(cat y)",)),
        Command("cat", ("y",)),
    )


def test_a_heredoc_is_content_unless_a_shell_reads_it():
    assert parse_shell("cat > f <<'EOF'\nrm -rf /\nEOF\nls") == (
        Command("cat", (), ((">", "f"),), heredoc="rm -rf /"),
        Command("ls"),
    )
    assert parse_shell("sh <<E\nrm x\nE")[1] == Command("rm", ("x",))


def test_unbalanced_quotes_still_say_something():
    assert parse_shell("it's broken") == (Command("it's", ("broken",)),)


@given(st.text(alphabet=st.sampled_from("abc '\"\\\n;|&<>(){}$`#-=/EOF"), max_size=80) | st.text(max_size=80))
def test_no_text_makes_it_raise(text):
    assert all(isinstance(command, Command) for command in parse_shell(text))


_SHELL_TEXT = st.lists(
    st.sampled_from(
        [
            "ls",
            "a.b",
            " ",
            "\t",
            "\n",
            "'",
            '"',
            "&&",
            "|",
            ";",
            ">",
            "2>&1",
            "(",
            ")",
            "$x",
            "-n",
            "=",
            "\u00e9",
            "\u3000",
            "\r",
            "#",
            "\\",
        ]
    )
).map("".join)


@given(_SHELL_TEXT)
def test_plain_text_is_split_as_any_other(text):
    assert _split(text) == _split_by_character(text)
