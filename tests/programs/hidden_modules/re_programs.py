"""Small programs that use re; the calls are in the comment above each function."""

import re


# count_words('to be or not to be'), count_words(''), count_words('one, two; three')
def count_words(text):
    words = re.findall(r"\w+", text)
    return len(words)


# only_digits('a1b22c333'), only_digits('none'), only_digits('2024-05-17')
def only_digits(text):
    digits = re.sub(r"\D", "", text)
    if digits:
        return int(digits)
    return None


# is_identifier('total_1'), is_identifier('1total'), is_identifier('')
def is_identifier(name):
    match = re.fullmatch(r"[A-Za-z_]\w*", name)
    if match is None:
        return False
    return True


# first_number('room 12, floor 3'), first_number('nothing'), first_number('-7 degrees')
def first_number(text):
    match = re.search(r"-?\d+", text)
    if not match:
        return 0
    return int(match.group()) * 2


# split_csv('a, b,c ,d'), split_csv('single'), split_csv('1,,2')
def split_csv(line):
    fields = re.split(r"\s*,\s*", line.strip())
    filled = [field for field in fields if field]
    return filled, len(fields) - len(filled)


# snake_case('HelloWorld'), snake_case('already'), snake_case('parseHTTPReply')
def snake_case(name):
    text = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name)
    return text.lower()


# parse_version('v1.20.3'), parse_version('2.0'), parse_version('release')
def parse_version(text):
    match = re.match(r"v?(\d+)\.(\d+)", text)
    if not match:
        return (0, 0)
    major, minor = match.groups()
    return (int(major), int(minor))


# squeeze('a   b    c'), squeeze('  x '), squeeze('tight')
def squeeze(text):
    short = re.sub(r" +", " ", text)
    return short, len(text) - len(short)


# hide_mails('write to ann@site.org now'), hide_mails('no mail'), hide_mails('a@b.c, d@e.f')
def hide_mails(text):
    mails = re.findall(r"\S+@\w+\.\w+", text)
    for mail in mails:
        text = text.replace(mail, "<mail>")
    return text


# vowel_runs('beautiful'), vowel_runs('rhythm'), vowel_runs('queueing')
def vowel_runs(word):
    longest = 0
    for run in re.findall(r"[aeiou]+", word):
        longest = max(longest, len(run))
    return longest


# key_values('a=1;b=22'), key_values(''), key_values('x=5; y=oops; z=7')
def key_values(text):
    table = {}
    for key, value in re.findall(r"(\w+)=(\d+)", text):
        table[key] = int(value)
    return table


# has_repeat('hello'), has_repeat('world'), has_repeat('aabb')
def has_repeat(word):
    if re.search(r"(.)\1", word):
        return "repeated"
    return "distinct"


# escape_all('a.b*c'), escape_all('plain'), escape_all('(x)')
def escape_all(text):
    escaped = re.escape(text)
    return escaped.count("\\")
