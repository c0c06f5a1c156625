"""Secrets given to commands and to data bases: by their place among flags and arguments."""

from transforms.redaction.rule import LEFT_OF_NAME, context
from transforms.redaction.values import is_literal, is_opaque, is_password, is_printed, is_random, is_typed

_PLAIN = r"([^\s\x00\"'`\\|;&<>]{6,})"
_NO_FLAG = r"([^\s\x00\"'`\\|;&<>/*-][^\s\x00\"'`|;&<>]"
"""The beginning of what is no flag of a command, no `*` that asks for a password and no redirection."""
_ENTRANCE = (
    r"(?:log-?in|auth|authenticate|unseal|activate|(?:add-)?authtoken|(?:config|set)-token|(?:set-)?api-?key|register)"
)

_CLIENTS_WITH_TOKENS = (
    r"(?:codecov(?:cli)?|codacy[a-z-]*|vercel|doppler|drone|phrase|tea|glab|crowdin|tx|logdna|surge|anaconda)"
)
"""What takes a service's token behind `-t`, `-k` or `-T`; elsewhere these flags take names and numbers."""


def _is_token(value: bytes, following: bytes) -> bool:
    """Say whether what stands where a service's client takes a token is one: drawn, or typed and no version."""
    return is_opaque(value, following) or (value[:1] not in b"vV0123456789" and is_typed(value, following))


def _is_typed_word(value: bytes, following: bytes) -> bool:
    """Say whether a word alone behind `password` on a line is one, and no sentence's last: `password changed!`."""
    return is_typed(value.rstrip(b"!?.,"), following)


COMMANDS = (
    context(
        "PASSWORD",
        r"\b(?:curl|wget|xh|https?|aria2c|axel|lwp-request)[ \t][^\n\x00|;]*?(?:-u|-a|--user|--auth)[ =]?\\*[\"']"
        r"[^\s\x00:\"'\\$]+:([^\s\x00\"'`\\$]{2,})\\*[\"']",
        accept=is_literal,
    ),
    context(
        "PASSWORD",
        r"\b(?:wget|aria2c)[ \t][^\n\x00|;]*?--(?:http-|ftp-|proxy-)?passw(?:or)?d[ =][\\\"']*([^\s\x00\"'`\\]{4,})",
        accept=is_literal,
    ),
    context(
        "PASSWORD",
        r"(?i:net use)[ \t][^\n\x00|;]*?/(?i:user):[^\s\x00]+[ \t]+[\\\"']*" + _NO_FLAG + r"+)",
        accept=is_literal,
    ),
    context(
        "PASSWORD",
        r"(?i:net use)[ \t]+(?:[A-Za-z*]:?[ \t]+)?\\\\[^\s\x00]+[ \t]+[\\\"']*" + _NO_FLAG + r"{2,})"
        r"[\\\"']*[ \t]+/(?i:user):",
        accept=is_literal,
    ),
    context(
        "PASSWORD",
        r"(?:curl [^\n\x00|;]*?(?:-u|--user)[ =]?[\\\"']*[^\s\x00:\"']+:"
        r"|https? [^\n\x00|;]*?(?:-a|--auth)[ =]?[\\\"']*[^\s\x00:\"']+:"
        r"|sshpass (?:-P +\S+ +)?-p[ =]?[\\\"']*|login\s+\S+\s+password\s+)([^\s\x00\"'`\\@]{4,})",
        accept=is_literal,
    ),
    context(
        "PASSWORD",
        r"(?:(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n\x00|;]*?[ \"']-p|redis-cli\b[^\n\x00|;]*? -a +"
        r"|docker login\b[^\n\x00|;]*? -p[ =]?|-pass(?:in|out)? +pass:)[\\\"']*([^\s\x00\"'`\\]{6,})",
        accept=is_password,
    ),
    context(
        "PASSWORD",
        r"(?:(?i:identified (?:with [a-z0-9_]{1,40} )?by|password)\s+(?:as\s+)?[EN]?\\*'|; ?(?i:pwd|password)=)"
        r"([^\s\x00'\"\\;]{6,})",
        accept=is_password,
    ),
    context(
        "PASSWORD",
        r"(?:requirepass|masterauth|> ?(?i:auth))\s+[\\\"']*([^\s\x00\"'\\]{6,})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"echo +(?:-n +)?[\\\"']*([^\s\x00\"'`\\|]{6,})[\\\"']* *\| *(?:sudo +-S|docker login)",
        accept=is_password,
    ),
    context(
        "PASSWORD",
        r"\s-{1,2}(?:u|U|user(?:name)?|login|l|D|a)[ =]?[^\s\x00-][^\s\x00]*[^\n\x00|;]*?\s-(?:p|P|w|W"
        r"|pw)[ =]?[\\\"']*" + _PLAIN,
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"\b(?:mysql[a-z]*|mariadb|mongo[a-z]*|redis-cli|sshpass|zip|unzip|7z|7za|rar|unrar|docker|podman|cqlsh"
        r"|security|snowsql|sqlcmd|bcp|conan|ctr|crane|oras|regctl|cosign|nerdctl|buildah|skopeo|useradd|schtasks|cmdkey"
        r"|ldap[a-z]+|influx|openssl|gpg|ssh-keygen|keytool|jarsigner|htpasswd|xfreerdp|isql|psql|az|twine|svn"
        r"|nmcli|mongosh)\b"
        r"[^\n\x00|;]*?[ \t](?:-[pPwNkK]|-a +|--?pass(?:word|phrase|in|out)?|-(?:src|dest)?(?:store|key)pass"
        r"|/r?p(?:ass)?[: ]|-pass(?:in|out)? +pass:)[ =:]?[\\\"']*" + _PLAIN,
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:htpasswd\s+-\S*(?:\s+-\S+)*(?:\s+[^\s\x00-]\S*){1,2}\s+|net use\s+\S+\s+(?:\S:\s+)?|net user\s+\S+\s+"
        r"|(?:rabbitmq|ejabberd|prosody|emqx)[a-z_]*\s(?:[^\n\x00|;]*?\s)?"
        r"(?:add_user|change_password|register|passwd)\s+[^\s\x00]+\s+(?:[a-z][^\s\x00]*\.[^\s\x00]*\s+)?"
        r"|etcdctl\s[^\n\x00|;]*?user add\s+[^\s\x00:]+:|NEO4J_AUTH[\"']?[:=] ?[\"']?[a-z0-9_]{2,32}/"
        r"|lftp\s[^\n\x00]*?-u\s+[^\s\x00,]+,|smb[a-z]+\s[^\n\x00]*?-U\s*[\"']?[^\s\x00%]+%"
        r"|mc alias set\s+\S+\s+\S+\s+\S+\s+"
        r"|--auth-user-pass\s[^\n\x00]*echo\s+"
        r"|curl\s(?:[^\n\x00|;]*?\s)?-[a-zA-Z]*u[ =]?[\\\"']*[^\s\x00:\"']+:)[\\\"']*([^\s\x00\"'`\\)]{6,})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:psexec|wmiexec|secretsdump|smbexec|mssqlclient)(?:\.py)?\s+(?:\S+/)?[^\s\x00:/]+:([^\s\x00\"'`\\]{6,})@",
        accept=is_typed,
    ),
    context(
        "SECRET",
        r"(?:echo|printf) +(?:-[ne]+ +|[\"']%s(?:\\n)?[\"'] +)?[\\\"']*([^\s\x00\"'`\\|>]{8,})(?:\\n)?[\\\"']* *>"
        r"{1,2} *[^\s\x00\"'|]*"
        r"(?i:pass|pwd|secret|token|key|cred|auth|cookie|bearer|pat\b|code|phrase|jwt|otp|seed)",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:echo|printf) +(?:-[ne]+ +|[\"']%s(?:\\n)?[\"'] +)?[\\\"']*(?:[a-z_][a-z0-9_-]*:)?([^\s\x00\"'`\\|]{6"
        r",})(?:\\n[^\s\x00\"'`\\|]{0,64}){0,3}[\\\"']* *\| *(?:\S+ +){0,2}?"
        r"(?:sudo|kinit|passwd|chpasswd|smbpasswd|cryptsetup|gpg|su|docker|podman|helm|vault|gh|npm|oc|az|aws|op"
        r"|secret-tool|security|keyctl|keyring|wrangler|vercel|heroku|gcloud|kubectl)\b",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:(?:kinit|vault login|gh auth login|docker login|su|sudo|cryptsetup|zfs|secret-tool|security|keyctl)"
        r"\b[^\n\x00|;]*<<< *|(?:quote |> ?|< ?|^"
        r"|\n)PASS\s+|\b(?i:auth )?(?i:login)\s+[\"']?[A-Za-z0-9_.@-]+[\"']?\s+|> ?(?i:auth)\s+\S+\s+"
        r"|(?:^|\n|\\n)(?:auth\s+\S+\s+|AUTH\s+(?:[a-z_]+\s+)?))[\\\"']*" + _PLAIN,
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:snmp-server community|enable (?:secret|password)(?: [0-9])?|pre-shared-key(?: address \S+ key)?"
        r"|(?:radius|tacacs)-server(?: host \S+)? key(?: [0-9])?"
        r"|username \S+ (?:privilege [0-9]+ )?(?:secret|password)(?: [0-9])?|neighbor \S+ password|key-string"
        r"|authentication-key [0-9]+ md5|rocommunity|rwcommunity|ppp chap password(?: [0-9])?) +" + _PLAIN,
        accept=is_password,
    ),
    context(
        "PASSWORD",
        LEFT_OF_NAME + r"(?:[A-Za-z0-9_.-]+|\*):(?:[0-9]{4,5}|\*):[A-Za-z0-9_*-]+:[A-Za-z0-9_.-]+:([^\s\x00:"
        r"\"']{6,})",
        accept=is_typed,
        trigger=r":(?:[0-9]{4,5}|\*):[A-Za-z0-9_*-]+:[A-Za-z0-9_.-]+:[^\s\x00:\"']{6}",
    ),
    context(
        "PASSWORD",
        r"(?:sqlplus\s+(?:-\S+\s+)*|oracle:thin:|(?:exp|imp|expdp|impdp|sqlldr)\s+|^"
        r"|[\"'\s(])[A-Za-z0-9_-]+/([^\s\x00\"'/]{4,})@(?://|[A-Za-z0-9_]+\b)",
        accept=is_typed,
        trigger=r"[A-Za-z0-9_]/[^\s\x00\"'/]+@(?:/|[A-Za-z0-9_])",
    ),
    context(
        "PASSWORD", r"(?i:identified (?:with [a-z0-9_]{1,40} )?by)\s+\\*\"?([^\s\x00'\"\\;]{6,})", accept=is_typed
    ),
    context("PASSWORD", r"; ?(?i:pass|pwd|password) ?= ?[\\\"']*([^\s\x00'\"\\;]{6,})", accept=is_password),
    context(
        "PASSWORD",
        r"(?:^|\n|\\n|[/,;|] ?)[ \t]*-? ?(?i:pass): [\\\"']*([^\s\x00\"'\\]{8,})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"put-parameter [^\n\x00]*?(?i:pass|pwd|secret|token|key|cred)[^\n\x00]*?--value[ =][\\\"']*"
        r"([^\s\x00\"'\\]{8,})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?i:pass|pwd|secret|token|key|cred)[A-Za-z_ =-]{0,40}[ =]<\( ?(?:echo|printf) +(?:-n +|[\"']?%s[\"']? +)?"
        r"[\"']?([^\s\x00\"'`\\|;&<>)]{6,})",
        accept=is_typed,
        trigger=r"<\( ?(?:echo|printf) ",
    ),
    context(
        "SECRET",
        r"(?: -hmac[ =]|hexkey:|-y hmac-[a-z0-9]+:[^\s\x00:]+:)[\\\"']*([A-Za-z0-9+/=_.-]{16,})",
        accept=is_random,
    ),
    context(
        "PASSWORD",
        r"(?:(?i:sp_addlogin|sp_password|sp_addlinkedsrvlogin)[^\n\x00;]{0,100}?,\s*N?\\*'"
        r"|(?i:openrowset|opendatasource)[^\n\x00]{0,100}?;\s*N?\\*'"
        r"|(?i:set password for)[^\n\x00=]{0,80}=\s*\\*[\"']|(?i:password)\s+\$[a-z_]{0,12}\$"
        r"|(?i:\bconn(?:ect)?)\s+[A-Za-z0-9_]+/\"?)([^\s\x00\"'\\;$]{6,})",
        accept=is_typed,
    ),
    context("PASSWORD", r":([^\s\x00\"':@/]{4,})@(?:tcp|unix)?\(", accept=is_literal),
    context(
        "PASSWORD",
        r"userlist\.txt[^\n\x00]{0,60}?[\"'][A-Za-z0-9_.-]{1,32}[\"'] [\"']([^\s\x00\"']{6,})[\"']",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?i:askpass)[^\n\x00]{0,80}?echo +[\"']?([^\s\x00\"'`\\|;&<>()]{6,})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?i:pass(?:word|phrase|wd)?[_-]?(?:command|cmd|eval))[ =:]{1,3}[\\\"']*(?:echo|printf) +[\\\"']*"
        r"([^\s\x00\"'`\\|;&<>()]{6,})",
        accept=is_typed,
    ),
    context("PASSWORD", r"\bsnmp[a-z]{2,10} [^\n\x00|;]*? -A +[\"']?([^\s\x00\"'\\]{8,})", accept=is_typed),
    context("PASSWORD", r" -x (?:AES|DES)[0-9A-Z-]{0,4} -X +[\"']?([^\s\x00\"'\\]{8,})", accept=is_typed),
    context("PASSWORD", r" /pass(?:word)?:[\"']?([^\s\x00\"'\\]{8,})", accept=is_literal),
    context(
        "PASSWORD",
        r"\bssh-keygen [^\n\x00|;]*?-[NP] ?[\"']([a-z]{3,12}(?: [a-z]{3,12}){2,9}(?: [0-9]{1,4})?)[\"']",
        accept=is_literal,
    ),
    context(
        "PASSWORD",
        r"(?i:attach)[^\n\x00;]{0,80} (?i:key) '([^\s\x00']{8,})'",
        accept=is_printed,
    ),
    context(
        "PASSWORD",
        r"\"(?:follow_?up_?)?(?:input|send|keys|text|stdin)\": ?\"([^\s\x00\"\\]{6,})(?:\\[nr])?\""
        r"[^\n\x00{}]{0,60}(?i:passphrase|password)",
        accept=is_typed,
    ),
    context("OTP_SEED", r"--totp(?:=[a-z0-9]+)? +[\"']?([A-Z2-7]{16,64}|[a-z2-7]{16,64})\b", accept=is_literal),
    context("SECRET", r"(?i:api_hash)[\"']?\s{0,2}[:=,]\s{0,2}[\"']?([0-9a-f]{32})", accept=is_literal),
    context(
        "SECRET",
        r"(?i:x-[a-z0-9-]{2,24}-api)[\"']?\s{0,2}[:=,]\s{0,2}[\"']?([A-Za-z0-9_.~+/=-]{20,})",
        accept=is_opaque,
    ),
    context(
        "PASSWORD",
        r"(?i:(?:log|sign)[ -]?(?:in|on)|creds?|credentials|account|wi-?fi)"
        r"(?:[^\n\x00/]{0,40}[ :(][A-Za-z0-9_.@+-]{2,64} / "
        r"|(?:[^\n\x00:=]{0,40}[=-]>| are| is|:)? [A-Za-z0-9_.-]{2,32}:"
        r"|,? (?:as|with|using) [A-Za-z0-9_.@+-]{2,64} (?:and|with|using) )[\"'`]?([^\s\x00\"'`\\;,)/]{8,64})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"[A-Za-z0-9_.@+-] / [\"'`]?([^\s\x00\"'`\\;,)/]{8,64})[\"'`]? [^\n\x00]{0,80}"
        r"(?i:(?:log|sign)[ -]?in|password|credentials)",
        accept=is_typed,
    ),
    context(
        "SECRET",
        r"\bcurl [^\n\x00|;]*?(?:-u|--user)[ =]?[\\\"']*([A-Za-z0-9_.-]{20,}):[\\\"']*(?:\s|$)",
        accept=is_opaque,
    ),
    context("PASSWORD", r"[\s,{(](?i:pass|pw)=[\\\"']{0,2}([^\s\x00\"'\\;,)]{8,64})", accept=is_typed),
    context(
        "PASSWORD",
        r"(?:^|\n|\\n)[ \t+>|-]{0,8}(?:password|passwd|PASSWORD) +([^\s\x00\"'`\\|;&<>:=]{8,})(?:\r?\n|\\n|$)",
        accept=_is_typed_word,
    ),
    context("PASSWORD", r"(?i:acl setuser|user) [^\n\x00>]*? >([^\s\x00>]{6,})", accept=is_typed),
    context(
        "PASSWORD",
        r"[\s\"']--?(?:auth|user|login|creds?|credentials|userpwd|u|(?:src|dest)-creds|proxy-user|http-user|basic-auth|basicauth)"
        r"[ =]+[\"']?[A-Za-z0-9_.@+-]{1,64}:([^\s\x00\"'`\\]{6,})",
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:\s|^|\")--?(?:[a-z]+-)*(?:pass(?:word|wd|phrase|code)?|pwd)[ =]+[\"']?" + _PLAIN,
        accept=is_typed,
    ),
    context(
        "PASSWORD",
        r"(?:http-basic[. ]\S+\s+\S+\s+|rclone obscure |BUNDLE_[A-Z0-9_]{2,60}[\"']?\s*[:=]\s*[\"']?[^\s\x00:\"'/]+:"
        r"|bundle config (?:set )?(?:--[a-z]+ )*\S+ [^\s\x00:/]+:)[\\\"']*([^\s\x00\"'`\\]{6,})",
        accept=is_typed,
    ),
    context(
        "SECRET",
        r"(?:^|[\n$#>;&|\"'`(]|\\n) ?(?:(?:sudo|npx|uvx|bunx|pipx run|run) )?[a-z][a-z0-9_.-]{1,20}"
        r"(?: [a-z:-]{2,20}){0,2} " + _ENTRANCE + r"(?: --?[a-z-]+[= ]?)? ?[\"']?([A-Za-z0-9+/_.=~-]{20,})",
        accept=is_opaque,
        trigger=r" " + _ENTRANCE + r"(?: --?[a-z-]+[= ]?)? ?[\"']?[A-Za-z0-9+/_.=~-]{20}",
    ),
    context(
        "SECRET",
        r"\b" + _CLIENTS_WITH_TOKENS + r"[ \t](?:[^\n\x00|;]*?[ \t])?-[tkT][ =][\\\"']*([^\s\x00\"'`\\|;&<>]{12,})",
        accept=_is_token,
    ),
    context("PASSWORD", r"\blogin\s+\S+\s+password\s+[\"']?([^\s\x00\"'`\\]{6,})", accept=is_typed),
    context("PASSWORD", r"[?&](?i:password|passwd|pwd|pass)=([^\s\x00\"'`\\&;<>]{6,})", accept=is_typed),
    context(
        "PASSWORD",
        r"ass(?:word|phrase)[^\n\x00]{0,40}(?:\n\s{0,8}|\{ ?)[a-z_]{0,16}\.?send(?:line)?(?:\(| (?:-- )?)[\"']"
        r"([^\s\x00\"'`\\]{6,})",
        accept=is_typed,
    ),
)
