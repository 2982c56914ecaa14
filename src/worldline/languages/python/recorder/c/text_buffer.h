/* Text of one value: the repr of strings and numbers, escaped as the inside of a JSON string.

   Only the characters within the limit are written; the others are counted. */

#ifndef WORLDLINE_TEXT_BUFFER_H
#define WORLDLINE_TEXT_BUFFER_H

#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Rendering stops at this multiple of the limit; the exact length is unknown then. */
#define MAX_LENGTH_FACTOR 64

typedef struct {
    char *bytes;
    size_t size, capacity;
} Buffer;

typedef struct {
    Buffer out;
    int64_t characters; /* of the complete text, shown or not */
    int64_t limit;
} Text;

static int
buffer_grow(Buffer *buffer, size_t more)
{
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < buffer->size + more) {
        capacity *= 2;
    }
    char *bytes = PyMem_RawRealloc(buffer->bytes, capacity);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return 0;
}

static inline int
buffer_reserve(Buffer *buffer, size_t more)
{
    return buffer->size + more <= buffer->capacity ? 0 : buffer_grow(buffer, more);
}

static inline int
buffer_put(Buffer *buffer, const char *bytes, size_t size)
{
    if (buffer_reserve(buffer, size) < 0) {
        return -1;
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return 0;
}

static void
buffer_free(Buffer *buffer)
{
    PyMem_RawFree(buffer->bytes);
    *buffer = (Buffer){0};
}

/* Copy what is mostly a few bytes: by overlapping words, which is faster than a call. */
static inline char *
copy_short(char *to, const char *from, size_t size)
{
    if (size >= 8) {
        if (size > 32) {
            return (char *)memcpy(to, from, size) + size;
        }
        if (size > 16) {
            memcpy(to, from, 16);
            memcpy(to + size - 16, from + size - 16, 16);
            return to + size;
        }
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    }
    else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    }
    else if (size > 0) {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
    return to + size;
}

static inline int
is_equal_short(const char *one, const char *other, size_t size)
{
    uint64_t words[4];
    if (size > 16) {
        return memcmp(one, other, size) == 0;
    }
    if (size >= 8) {
        memcpy(words, one, 8);
        memcpy(words + 1, other, 8);
        memcpy(words + 2, one + size - 8, 8);
        memcpy(words + 3, other + size - 8, 8);
        return words[0] == words[1] && words[2] == words[3];
    }
    for (size_t i = 0; i < size; i++) {
        if (one[i] != other[i]) {
            return 0;
        }
    }
    return 1;
}

/* -- characters ------------------------------------------------------------------------------ */

static const char HEX[] = "0123456789abcdef";

static inline void
put_unit(char *cursor, unsigned unit)
{
    cursor[0] = '\\', cursor[1] = 'u';
    for (int i = 0; i < 4; i++) {
        cursor[2 + i] = HEX[unit >> (12 - 4 * i) & 15];
    }
}

/* One character as ASCII JSON, without counting it; at most twelve bytes. */
static inline char *
put_json(char *cursor, Py_UCS4 c)
{
    if (c >= ' ' && c < 127) {
        if (c == '"' || c == '\\') {
            *cursor++ = '\\';
        }
        *cursor++ = (char)c;
        return cursor;
    }
    const char *escape = c < 128 && c ? strchr("\nn\rr\tt\ff\bb", (int)c) : NULL;
    if (escape != NULL && c < ' ') {
        *cursor++ = '\\', *cursor++ = escape[1];
        return cursor;
    }
    if (c >= 0x10000) {
        c -= 0x10000;
        put_unit(cursor, 0xd800 | (c >> 10));
        cursor += 6;
        c = 0xdc00 | (c & 0x3ff);
    }
    put_unit(cursor, c);
    return cursor + 6;
}

/* One character of the text: always counted, written if it is within the limit. */
static inline int
text_char(Text *text, Py_UCS4 c)
{
    if (text->characters++ >= text->limit) {
        return 0;
    }
    if (buffer_reserve(&text->out, 12) < 0) {
        return -1;
    }
    char *end = put_json(text->out.bytes + text->out.size, c);
    text->out.size = (size_t)(end - text->out.bytes);
    return 0;
}

/* Printable ASCII without quotes and backslashes: it needs no escapes. */
static inline int
text_plain(Text *text, const char *bytes, size_t size)
{
    if (text->characters + (int64_t)size <= text->limit) {
        text->characters += (int64_t)size;
        if (buffer_reserve(&text->out, size) < 0) {
            return -1;
        }
        copy_short(text->out.bytes + text->out.size, bytes, size);
        text->out.size += size;
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        if (text_char(text, (unsigned char)bytes[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

static inline int
text_is_too_long(const Text *text)
{
    return text->characters > MAX_LENGTH_FACTOR * text->limit;
}

/* The number of bytes at the start that need no escape, neither in Python nor in JSON. */
static inline Py_ssize_t
plain_prefix(const Py_UCS1 *bytes, Py_ssize_t size)
{
    Py_ssize_t i = 0;
    while (i < size && bytes[i] >= ' ' && bytes[i] < 127 && bytes[i] != '"' && bytes[i] != '\'' &&
           bytes[i] != '\\') {
        i++;
    }
    return i;
}

/* The number of characters at the start of a string that can be copied at once. */
static inline Py_ssize_t
plain_string_prefix(const Text *text, int kind, const void *data, Py_ssize_t size)
{
    Py_ssize_t max_length = (Py_ssize_t)(MAX_LENGTH_FACTOR * text->limit + 1);
    return kind == PyUnicode_1BYTE_KIND ? plain_prefix(data, size < max_length ? size : max_length)
                                        : 0;
}

/* The characters of a string, not its repr. */
static int
text_string(Text *text, PyObject *string)
{
    int kind = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    Py_ssize_t size = PyUnicode_GET_LENGTH(string);
    Py_ssize_t i = plain_string_prefix(text, kind, data, size);
    if (text_plain(text, data, (size_t)i) < 0) {
        return -1;
    }
    for (; i < size && !text_is_too_long(text); i++) {
        if (text_char(text, PyUnicode_READ(kind, data, i)) < 0) {
            return -1;
        }
    }
    return 0;
}

/* -- values ---------------------------------------------------------------------------------- */

/* Write the digits of a number before `end`, in at most 24 bytes; returns their start. */
static inline char *
put_digits(char *end, unsigned long rest)
{
    do {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    return end;
}

static inline int
text_small_int(Text *text, long value)
{
    char digits[24], *end = digits + sizeof digits;
    if (value >= 0 && value < 100 && text->characters + 2 <= text->limit) {
        if (buffer_reserve(&text->out, 2) < 0) {
            return -1;
        }
        char *cursor = text->out.bytes + text->out.size;
        int size = value < 10 ? 1 : 2;
        cursor[0] = (char)('0' + (value < 10 ? value : value / 10));
        cursor[1] = (char)('0' + value % 10);
        text->out.size += (size_t)size;
        text->characters += size;
        return 0;
    }
    char *cursor = put_digits(end, value < 0 ? -(unsigned long)value : (unsigned long)value);
    if (value < 0) {
        *--cursor = '-';
    }
    return text_plain(text, cursor, (size_t)(end - cursor));
}

/* The repr of an object of a built-in type, which calls no other code. */
static int
text_repr(Text *text, PyObject *value)
{
    PyObject *repr = Py_TYPE(value)->tp_repr(value);
    if (repr == NULL) {
        return -1;
    }
    int result = text_string(text, repr);
    Py_DECREF(repr);
    return result;
}

static int
text_float(Text *text, double value)
{
    char *digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (digits == NULL) {
        return -1;
    }
    int result = text_plain(text, digits, strlen(digits));
    PyMem_Free(digits);
    return result;
}

static int
text_escaped(Text *text, Py_UCS4 c)
{
    char escape[12];
    int digits = c <= 0xff ? 2 : c <= 0xffff ? 4 : 8;
    int size = snprintf(escape, sizeof escape, "\\%c%0*x",
                        digits == 2 ? 'x' : digits == 4 ? 'u' : 'U', digits, (unsigned)c);
    for (int i = 0; i < size; i++) {
        if (text_char(text, (unsigned char)escape[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* One character inside the quotes of a string's repr. */
static inline int
text_quoted(Text *text, Py_UCS4 c, Py_UCS4 quote)
{
    if (c == quote || c == '\\') {
        return text_char(text, '\\') < 0 ? -1 : text_char(text, c);
    }
    if (c >= ' ' && c < 127) {
        return text_char(text, c);
    }
    if (c == '\t' || c == '\n' || c == '\r') {
        return text_char(text, '\\') < 0
                   ? -1
                   : text_char(text, c == '\t' ? 't' : c == '\n' ? 'n' : 'r');
    }
    return c >= 128 && Py_UNICODE_ISPRINTABLE(c) ? text_char(text, c) : text_escaped(text, c);
}

static int
text_str(Text *text, PyObject *value)
{
    int kind = PyUnicode_KIND(value);
    const void *data = PyUnicode_DATA(value);
    Py_ssize_t size = PyUnicode_GET_LENGTH(value);
    Py_ssize_t i = plain_string_prefix(text, kind, data, size);
    Py_UCS4 quote = '\'';
    /* The plain prefix contains no quotes. */
    if (i < size && PyUnicode_FindChar(value, '\'', i, size, 1) >= 0 &&
        PyUnicode_FindChar(value, '"', i, size, 1) < 0) {
        quote = '"';
    }
    if (text_char(text, quote) < 0 || text_plain(text, data, (size_t)i) < 0) {
        return -1;
    }
    for (; i < size && !text_is_too_long(text); i++) {
        if (text_quoted(text, PyUnicode_READ(kind, data, i), quote) < 0) {
            return -1;
        }
    }
    return text_char(text, quote);
}

/* If the text was shortened, append the mark and the length of the complete text. */
static int
text_finish(Text *text)
{
    char suffix[64];
    if (text->characters <= text->limit) {
        return 0;
    }
    int size = text_is_too_long(text)
                   ? snprintf(suffix, sizeof suffix, "\\u2026 <cut: more than %lld characters>",
                              (long long)(MAX_LENGTH_FACTOR * text->limit))
                   : snprintf(suffix, sizeof suffix, "\\u2026 <cut: %lld characters>",
                              (long long)text->characters);
    return buffer_put(&text->out, suffix, (size_t)size);
}

#endif
