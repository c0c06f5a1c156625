import base64

import pytest

from tests.rule_examples import draw_examples
from transforms.redaction.engine import Redactor
from transforms.redaction.made import is_wrapped


@pytest.mark.parametrize(
    "text",
    [
        "$ openssl rand -base64 32\n{a42}7=",
        ">>> secrets.token_hex(32)\n'{h64}'",
        "$ head -c 32 /dev/urandom | base64\\n{a42}7=\\n",
        "print(Fernet.generate_key())\nb'{w42}7='",
        "$ bw get password app\nharbor-{a8}77\n",
        "security find-generic-password -wa guest\n{h64}",
        "kubectl get secrets -o jsonpath='{.items[*].data.pw}'\n{a43}=",
        "qrencode 'WIFI:S:guest;T:WPA;P:harbor{a8}77;;'",
        "wpa_passphrase \"the guests\" 'harbor{a8}77' >> x.conf",
        "networksetup -setairportnetwork en0 guest {h64}",
        "security wpa psk set-key ascii 0 harbor{a8}77 wlan1",
        "SSID: guest\nKey: harbor{a8}77",
        '{"wifi": {"ssid": "guest", "key": "harbor{a8}77"}}',
        "uci set wireless.default_radio0.key='harbor{a8}77'",
        "PRAGMA rekey=\"x'{h64}'\"",
        "kms:\n  dek: {a42}7=",
        "PEPPER={h64}",
    ],
)
def test_a_key_that_a_line_makes_prints_or_sets_is_found(text):
    for line, last in draw_examples(text, 10):
        assert last not in Redactor().redact_text(line)


@pytest.mark.parametrize(
    "text",
    [
        "$ ssh-keygen -t ed25519\nGenerating public/private ed25519 key pair.",
        "import os\nos.urandom(32)\nreturn_value = compute_the_result()",
        "the pass shows all of them\nharbor and lantern",
        "vault kv get -field=name secret/app\nproduction\n",
        "wifi:\n  ssid: guest\n  key_mgmt: WPA-PSK\n  priority: 10",
        "option ssid 'guest'\noption key_index '1'",
        "PRAGMA key_value = 'off'",
        "encrypt = true\nencrypt: customer_managed_server_side",
        "cat x | base64 -d\nthequickbrownfoxjumps",
    ],
)
def test_what_only_looks_as_if_it_made_a_key_stands(text):
    assert Redactor().redact_text(text) == text


def test_base64_of_a_password_is_wrapped_and_a_word_is_not():
    assert is_wrapped(base64.b64encode(b"Harbor7!lantern"), b"")
    assert not is_wrapped(b"controllers1", b"")
