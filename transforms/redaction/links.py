"""What stands between a name and its value, as patterns: ahead of the name, on the line below it, before it."""

import re
from typing import Final

CELL_END = re.compile(rb"[ \"'`]{0,60}+[|,\t)\r\n]|  ")
PATH_ENDS = (b"/", b"\\", b"./")
SIGNATURE = re.compile(rb"\A[^(]*\) *(?:->|:)")
REST: Final = rb"(?:[A-Z][a-z0-9][A-Za-z0-9]{0,20}|[0-9]{1,2}|[_.-][A-Za-z0-9][A-Za-z0-9_.-]{0,24})?"
GAP: Final = (
    rb"(?:%[sdrv]|\x1b\[[0-9;]{0,11}m|\\\\*(?:x1[bB]|u001[bB]|0?33|e)\[[0-9;]{0,11}m"
    rb"|--(?:body|value|data|string|secret-string|content|text|plaintext)[ =]"
    rb"|[ \t](?!value|content|default|data)[A-Za-z:-]{1,16}+=\"[^\"<>\x00\n]{0,32}\"(?=>| [A-Za-z:-]{1,16}=\")"
    rb"|;[a-z]{2,12}=[a-z]{2,8}\]|/[td][ \t]"
    rb"|(?:(?<=: )|(?<=:))\{\\*\"[A-Za-z_]{1,16}\\*\": ?\\*(?=\")|[ \t](?=[^ \t\r\n\\])"
    rb"|(?<=[\"'`])[(*_~](?=[\"'`])|[\"'][^\x00\"'\n]{0,24}[\"'] ?[-=]> ?(?=[\"'])"
    rb"|[^A-Za-z0-9\x00\s\\$&%<(\[#!@^*+?~_]"
    rb"|for (?:[a-z]{2,8} ){0,2}[\"']?[A-Za-z0-9_.@'/~:-]{1,64}[\"']?(?: in [\"']?[A-Za-z0-9_.-]{1,32}[\"']?)?:(?= )"
    rb"|\$\((?:echo|printf) (?:-n )?"
    rb"|(?<=[:=] )(?:![!A-Za-z:]{1,16}|&[A-Za-z0-9_-]{1,20}) "
    rb"|(?=[A-Za-z])(?:[A-Za-z]{2,8}\([0-9]{1,4}\)|REG_[A-Z_]{2,12}(?=[ \t:])"
    rb"|(?:for|on|in|of) [A-Za-z0-9_-]{2,16}(?=:? (?:is|=|->) |: )|[A-Za-z_]{1,20}+(?:::[A-Za-z_]{1,20}+)?[(\[]"
    rb"|(?i:(?:input_|new |parameter)?value|default|content|type|is|to|as|or|was|now|be|should|would|has|set"
    rb"|new|string|text)(?=[\s\"'=:,])"
    rb"|(?<=[:=(, ])[rbfuNE](?=[\"'])|u0022|(?<=:)[A-Za-z.]{1,16}+[ \t]?=(?=[ \t\"'])"
    rb"|(?<=: )[A-Za-z.]{1,16}+[ \t]?=(?=[ \t\"']))"
    rb"|(?<=[:=>|,(-])[ \t]*+(?:\r?\n|\\+n){1,2}[ \t]*+"
    rb"|(?:\r?\n|\\+n)[ \t]*+(?=[\"'-]?(?i:value))"
    rb"|\\+(?:[nrt\"'`/]|u00[0-9a-fA-F]{2})|&(?:quot|#34|gt);|%3[dDaA]|%2[02]"
    rb"|</?[A-Za-z][A-Za-z0-9]{0,15}(?:[ \t][^<>\x00\n]{0,32})?/?>"
    rb"|\((?:[A-Za-z_ *:]{1,20}|len=[0-9]{1,5}|u?int[0-9]{1,2}(?:_t)?)\)|0x[0-9a-f]{4,16}(?= )"
    rb"|\[[A-Za-z0-9_*]{0,20}\](?:(?= =)|:)"
    rb"|[^A-Za-z0-9\x00\n\r\\$#!@^*+?~(_]|(?<![\"'`])[#!@^*+?~(_]){0,40}"
)
STRUCTURE = re.compile(
    rb"[:=>|\t\]]|  |/d |\.{3}|%3[dDaA]|\xe2\x80[\xba\x93\x94]|\xe2\x86\x92| (?:-|is|was|be|as|to|value|for \S+:) "
    rb"|[(\[]\Z"
)
IN_QUOTES: Final = rb"(?:(?<=[\"'`])|(?<=u0022)|(?<=&quot;)|(?<=&#34;)|(?<=%22))[^\x00\"'`\\\n]{8,}"
IN_ELEMENT: Final = rb"(?<=>)[^\x00\"'`<>\n]{8,200}(?=</)"
BARE: Final = rb"[^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]=]{8,256}={0,2}"
LONGEST_BARE: Final = 256
"""Bytes of a value without quotes that are read before it is judged: each name within it reads as far again."""
REST_OF_BARE = re.compile(BARE.replace(b"{8,256}", b"*"))
PLAIN = re.compile(rb"(?:=|: )([\"']?)(" + BARE + rb")(?=[\s,;&\"']|\Z)")
"""By far the most values; the other ways to one cost three times as much."""
# A group that is looked ahead for and then named gives nothing back. Python up to 3.11.4 loses the place of groups
# behind one that is repeated possessively.
_KEPT_REST: Final = rb"(?=(" + REST + rb"))\1"
REST_ALONE = re.compile(_KEPT_REST + rb"(?:()()()(\x00))?")
FORWARD = re.compile(
    _KEPT_REST + rb"(?=(" + GAP + rb"))\2(?:(" + IN_QUOTES + rb"|" + IN_ELEMENT + rb")|(" + BARE + rb")|(\x00))?"
)
"""The rest of the name, the gap, and the value in quotes or bare; or the NUL over one that is found already."""
QUOTES: Final = (b'"', b"'", b"`")
SIGNS_OF_PASSWORDS: Final = b"!@#%^*?+~"
MORE_OF_PASSWORD = re.compile(rb"(?:=+[^\x00-\x20\x7f-\xff\"'`\\,;&|<>(){}\[\]=]+)+=*(?=\s|[\"'`]|\Z)")
LINE_END = re.compile(
    rb"(?:[\]\"'`):{}* ]{0,6}(?:(?<=[\"'`]);)?[ \t]*(?:<<[-~]?[ \t]*[\"']?[A-Za-z_]{1,16}[\"']?"
    rb"|(?:\r?\n[ \t]*(?:```[a-z]{0,12})?){1,2}(?=\r?\n))?|[^\n\x00=;{}:]{0,80}+:[ \t]*(?:(?:\r?\n)(?=[ \t]*\r?\n)"
    rb")?)(?:[ \t]*\r?\n|\\n)"
)
LINE_OF_VALUE = re.compile(
    rb"(?:[^\n\x00\"'`A-Za-z]{0,64}|[a-z]{1,8}[0-9]{0,4}: [A-Za-z\[\]]{1,24} = |[ \t]*(?:Out)?\[[0-9]+\]:? ?"
    rb"|[ \t]*\$[0-9]+ = [^\n\x00\"'`]{0,40}"
    rb"|[ \t]*[a-z]{2,12} (?=[\"']))"
    rb"(?:[\"'`]([^\n\x00\"'`\\]{8,})(?:\\[rn])?[\"'`]|(?<![A-Za-z])([^\s\x00\"'`\\(){}<>]{8,}))"
    rb"[ \t,;]{0,2}(?:\r?\n|\\n|\Z|(?=\x00))"
)
TOLD = re.compile(rb":[ \t*]*[\r\n\\]|```|<<")
"""What stands between a name and the line below that holds its value alone."""
PROMPT = re.compile(
    rb"[ \t]*(?:\([^\s\x00)]{1,32}\) ?)?(?:[A-Za-z0-9_.@:~/-]{0,40}[$#%>]|PS [^\n\x00>]{0,40}>"
    rb"|[A-Z]:\\[^\n\x00>]{0,40}>) ?[a-z]"
)
REST_OF_COMMAND = re.compile(rb"[^\n\x00]{0,100}\r?\n")
TYPED_BELOW = re.compile(
    rb"(?:[^\n\x00]{0,80}\n){0,2}?[^\n\x00]{0,80}?(?i:value|default)[\"']?\s*(?:[=:]"
    rb"|=>)\s*(?:[\"']([^\x00\"'`\\\n]{8,})|([^\s\x00\"'`\\,;]{8,}))"
)
BACKWARDS = re.compile(
    rb"(?i:[^\n]{0,24}?(?:#|//|--|\*/)[ \t;,)\]]*"
    rb"|[a-z_.() ]{0,24}? ={1,3} ?|[^\n|]{0,40}+\| ?|[^\n >]{0,40}+ ?>{1,2} ?"
    rb"|[a-z_.-]{0,16}?[\"'`]? ?(?:(?:dleif )?rof|=? ?[a-z]{2,10} erehw) "
    rb"|[a-z0-9 _.-]{0,24}?[\"'`(]? ?(?:(?:eht|ym|ruo|ruoy|a|wen|sti|s'taht) ?){0,2}(?:(?:(?:si|sa|ni|ot|otni|rof"
    rb"|dellac|ekil"
    rb"|\(|-<|-{1,2}) ){1,2}|-< ?)[ ,]{0,2}"
    rb"|[a-z0-9 _.-]{0,24}?[(\[] +"
    rb"|[a-z0-9_.()= -]{0,40}?[\"'`]?(?:= ?[a-z_]{1,16} ?)?,(?=[\"'`])|[a-z0-9_.()-]{0,40}? ?,(?=[\"'`])"
    rb"|[a-z0-9_.-]{0,16}+[\"']?\s*[:=]\s*[\"']?(?:eman|yek|di)[\"']?\s*,"
    rb"|[a-z0-9_.-]{0,16}+[\"']=(?:eman|yek)\s+)"
    rb"(?:[\"'`]([^\x00\"'`\\\n]{8,}+)[\"'`]|([^\s\x00\"'`\\]{8,}+)(?=\s|\Z))"
)
"""The line before a name, read from the name back: the link to its value, and the value."""
