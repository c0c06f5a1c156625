"""One text for every rule of our own catalogue, in its order; `{a36}` stands for 36 letters and digits drawn anew.

The letter names what is drawn: a letters and digits, h hexadecimal, u capitals and digits, l small letters and digits,
w also - and _, s also + and /, d digits, b those of base 58.
"""

import random
import re
import string
from typing import Final

_ALPHABETS: Final = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "w": string.ascii_letters + string.digits + "-_",
    "s": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
    "b": "".join(sorted(set(string.ascii_letters + string.digits) - set("0OIl"))),
}
_DRAWN: Final = re.compile(r"\{([ahulwsdb])(\d+)\}")

EXAMPLES: Final = (
    "-----BEGIN EC PRIVATE KEY-----\n{s64}\n-----END EC PRIVATE KEY-----",
    "Private-Lines: 2\n{s64}\n{s44}",
    "xprv9{b100}",
    "AGE-SECRET-KEY-1{u58}",
    "AKIA{u16}, {s40}",
    "AWS4-HMAC-SHA256 Credential=x, Signature={h64}",
    "ASIA{u16}",
    "?X-Amz-Signature={h64}",
    "AIza{w35}",
    "ya29.{w60}",
    "GOCSPX-{w28}",
    "AccountKey={s86}==",
    "{a3}8Q~{w34}",
    "?se=2031&sig={a43}%3D",
    "dop_v1_{h64}",
    "dapi{h32}",
    "hvs.{w90}",
    "{a14}.atlasv1.{w67}",
    "pul-{h40}",
    "tskey-auth-{a30}",
    "pscale_pw_{w43}",
    "sbp_{h40}",
    "LTAI{a20}",
    "dp.st.{a43}",
    "ghp_{a36}",
    "github_pat_{a82}",
    "glpat-{w20}",
    "npm_{a36}",
    "pypi-AgE{w90}",
    "rubygems_{h48}",
    "cio{a32}",
    "dckr_pat_{w27}",
    "PMAK-{h24}-{h34}",
    "lin_api_{a40}",
    "ntn_{a46}",
    "pat{a14}.{h64}",
    "xoxb-{d12}-{a24}",
    "xapp-1-{u11}-{d13}-{h64}",
    "https://hooks.slack.com/services/{u9}/{u11}/{a24}",
    "https://discord.com/api/webhooks/{d18}/{w68}",
    "{d9}:AA{w33}",
    "MT{a24}.G{w5}.{w36}aB71",
    " key-{h32}",
    "squ_{h40}",
    "CFPAT-{w43}",
    "tfp_{w44}",
    "re_{a8}_{a24}",
    "oy2{l43}",
    "sk_live_{a24}",
    "whsec_{s32}",
    "SG.{w22}.{w43}",
    "SK{h32}",
    "shpat_{h32}",
    "sq0atp-{w22}",
    "glsa_{a32}_{h8}",
    "{h32}-us14",
    "EAA{a120}",
    "ATATT3{w180}",
    "NRAK-{u27}",
    "sntrys_{s60}",
    "sk-ant-{w90}",
    "sk-or-v1-{h64}",
    "sk-proj-{w74}",
    "sk-{a20}T3BlbkFJ{a20}",
    "sk-{a48}",
    "sk-team-{w40}",
    "nvapi-{w64}",
    "hf_{a34}",
    "api_org_{a34}",
    "gsk_{a52}",
    "r8_{a37}",
    "xai-{a80}",
    "pplx-{a48}",
    "lsv2_pt_{h32}_{h10}",
    "tvly-{a32}",
    "eyJ{w20}.eyJ{w40}.{w43}",
    "postgres://app:{a16}@db/app",
    "https://{a30}@git.internal/a.git",
    "Authorization: Token {a32}",
    "Bearer {a32}",
    '"auth": "YWRtaW46QTFiMkMzZDRF"',
    "Set-Cookie: sid={a32}; Path=/",
    "zzz_{a40}",
    "corp_live_{a24}",
    "data:\n  token: {a32}\nkind: Secret",
    "curl -s -u admin:{a12} https://ci.internal",
    "mysql -u root -p{a12} app",
    "CREATE USER app IDENTIFIED BY '{a16}7'",
    "requirepass {a20}",
    "echo {a12} | sudo -S ls",
)


def draw_example(example: str, rng: random.Random) -> tuple[str, str]:
    """Return the text of an example and the last part of it that was drawn."""
    last = ""

    def draw(match: re.Match[str]) -> str:
        nonlocal last
        last = "".join(rng.choices(_ALPHABETS[match[1]], k=int(match[2])))
        return last

    return _DRAWN.sub(draw, example), last
