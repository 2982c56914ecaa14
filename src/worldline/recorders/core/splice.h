/* A list or dict that has changed in one place: its text is put together from what is still right.

   Items that are the same as before, at the beginning and at the end, keep their shadows and their
   part of the text; only those between are written. */

#ifndef WORLDLINE_SPLICE_H
#define WORLDLINE_SPLICE_H

#include "values.h"

#include "internal/pycore_dict.h"

typedef enum { SPLICE_FAILED = -1, NOT_SPLICED, SPLICED, STILL_SAME } Spliced;

typedef struct {
    PyObject **items;
    Py_ssize_t size, room;
} Items;

/* Keys and values by turns, borrowed. */
static void
dict_items(PyObject *dict, PyObject **item)
{
    PyDictKeysObject *keys = ((PyDictObject *)dict)->ma_keys;
    Py_ssize_t at = 0;
    if (((PyDictObject *)dict)->ma_values != NULL) {
        /* That of an object, whose keys are those of its class. */
        for (; PyDict_Next(dict, &at, item, item + 1); item += 2) {
        }
    }
    else if (DK_IS_UNICODE(keys)) {
        for (PyDictUnicodeEntry *entry = DK_UNICODE_ENTRIES(keys); at < keys->dk_nentries; at++) {
            if (entry[at].me_value != NULL) {
                *item++ = entry[at].me_key;
                *item++ = entry[at].me_value;
            }
        }
    }
    else {
        for (PyDictKeyEntry *entry = DK_ENTRIES(keys); at < keys->dk_nentries; at++) {
            if (entry[at].me_value != NULL) {
                *item++ = entry[at].me_key;
                *item++ = entry[at].me_value;
            }
        }
    }
}

/* What a list or dict holds now, borrowed. */
static PyObject **
current_items(Items *scratch, PyObject *value, Py_ssize_t size)
{
    if (PyList_CheckExact(value)) {
        return PySequence_Fast_ITEMS(value);
    }
    if (scratch->room < size) {
        PyObject **items = PyMem_RawRealloc(scratch->items, 2 * (size_t)size * sizeof *items);
        if (items == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        scratch->items = items;
        scratch->room = 2 * size;
    }
    dict_items(value, scratch->items);
    return scratch->items;
}

/* Make room for `fresh` items in place of `gone` ones; the fresh ones are empty. */
static Node *
open_gap(Node *node, Py_ssize_t first, Py_ssize_t gone, Py_ssize_t fresh)
{
    Py_ssize_t size = node->size - gone + fresh, tail = node->size - first - gone;
    for (Py_ssize_t i = first; i < first + gone; i++) {
        forget(&node->items[i]);
    }
    Node *to = node;
    if (size > node->room) {
        to = new_node(node->type, size + size / 2);
        if (to == NULL) {
            return NULL;
        }
        memcpy(to->items, node->items, (size_t)first * sizeof *to->items);
        memcpy(to->ends, node->ends, (size_t)first * sizeof *to->ends);
    }
    memmove(to->items + first + fresh, node->items + first + gone, (size_t)tail * sizeof *to->items);
    memmove(to->ends + first + fresh, node->ends + first + gone, (size_t)tail * sizeof *to->ends);
    memset(to->items + first, 0, (size_t)fresh * sizeof *to->items);
    to->size = size;
    if (to != node) {
        PyMem_RawFree(node);
    }
    return to;
}

static inline int
put_separator(Text *text, const Node *node, Py_ssize_t i)
{
    return i == 0 ? 0 : text_plain(text, node->type == &PyDict_Type && i % 2 ? ": " : ", ", 2);
}

/* The new text, from the old one; the node is as the value is now. */
static Written
write_spliced(Text *text, Node *node, const Buffer *before, PyObject **items, Py_ssize_t first,
              Py_ssize_t fresh, size_t tail_at, int was_tail_first)
{
    size_t prefix = first ? node->ends[first - 1] : 1;
    Py_ssize_t tail = first + fresh;
    if (text_plain(text, before->bytes, prefix) < 0) {
        return FAILED;
    }
    for (Py_ssize_t i = first; i < tail; i++) {
        if (put_separator(text, node, i) < 0) {
            return FAILED;
        }
        Written written = write_value(text, items[i], &node->items[i], 1);
        if (written != WRITTEN) {
            return written;
        }
        node->ends[i] = (uint32_t)text->out.size;
    }
    if (tail < node->size) {
        /* A separator belongs to the item behind it; the first of all has none. */
        if (was_tail_first && put_separator(text, node, tail) < 0) {
            return FAILED;
        }
        tail_at += tail == 0 && !was_tail_first ? 2 : 0;
    }
    uint32_t moved = (uint32_t)(text->out.size - tail_at);
    for (Py_ssize_t i = tail; i < node->size; i++) {
        node->ends[i] += moved;
    }
    return text_plain(text, before->bytes + tail_at, before->size - tail_at) < 0 ? FAILED : WRITTEN;
}

/* `before`: the whole text that the shadow stands for. The new one is in `text` if it was spliced;
   if not, the shadow may have been forgotten. */
static Spliced
splice_value(Text *text, Shadow *shadow, const Buffer *before, PyObject *value, Items *scratch)
{
    Node *node = node_of(shadow);
    Py_ssize_t size = items_of(value);
    if (size == 0 || node->size == 0) {
        return size == node->size ? STILL_SAME : NOT_SPLICED;
    }
    PyObject **items = current_items(scratch, value, size);
    if (items == NULL) {
        return SPLICE_FAILED;
    }
    Py_ssize_t most = size < node->size ? size : node->size, first = 0, last = 0;
    while (first < most && is_same(&node->items[first], items[first])) {
        first++;
    }
    if (first == size && first == node->size) {
        return STILL_SAME;
    }
    while (last < most - first &&
           is_same(&node->items[node->size - 1 - last], items[size - 1 - last])) {
        last++;
    }
    Py_ssize_t tail = node->size - last;
    size_t tail_at = tail ? node->ends[tail - 1] : 1;
    Node *opened = open_gap(node, first, node->size - first - last, size - first - last);
    if (opened == NULL) {
        return SPLICE_FAILED;
    }
    shadow->mark = (uintptr_t)opened;
    open_containers[0] = value;
    text->out.size = 0;
    /* Bytes are counted in place of characters, of which there are not more. */
    text->characters = 0;
    Written written = write_spliced(text, opened, before, items, first, size - first - last, tail_at,
                                    tail == 0);
    if (written == FAILED) {
        return SPLICE_FAILED;
    }
    if (written != WRITTEN || text->characters > text->limit) {
        forget(shadow);
        return NOT_SPLICED;
    }
    return SPLICED;
}

#endif
