/* Incremental repr of a list or dict that has changed in one place.

   The items before and after the change keep their fingerprints and their part of the text; only
   those between are rendered. */

#ifndef WORLDLINE_INCREMENTAL_REPR_H
#define WORLDLINE_INCREMENTAL_REPR_H

#include "value_repr.h"

#include "internal/pycore_dict.h"

typedef enum { UPDATE_FAILED = -1, NOT_UPDATED, UPDATED, UNCHANGED } UpdateResult;

typedef struct {
    PyObject **items;
    Py_ssize_t size, capacity;
} ItemBuffer;

/* Keys and values alternately, as borrowed references. */
static void
dict_items(PyObject *dict, PyObject **item)
{
    PyDictKeysObject *keys = ((PyDictObject *)dict)->ma_keys;
    Py_ssize_t position = 0;
    if (((PyDictObject *)dict)->ma_values != NULL) {
        /* The dict of an object, which shares its keys with its class. */
        for (; PyDict_Next(dict, &position, item, item + 1); item += 2) {
        }
    }
    else if (DK_IS_UNICODE(keys)) {
        for (PyDictUnicodeEntry *entry = DK_UNICODE_ENTRIES(keys); position < keys->dk_nentries;
             position++) {
            if (entry[position].me_value != NULL) {
                *item++ = entry[position].me_key;
                *item++ = entry[position].me_value;
            }
        }
    }
    else {
        for (PyDictKeyEntry *entry = DK_ENTRIES(keys); position < keys->dk_nentries; position++) {
            if (entry[position].me_value != NULL) {
                *item++ = entry[position].me_key;
                *item++ = entry[position].me_value;
            }
        }
    }
}

/* The current items of a list or dict, as borrowed references. */
static PyObject **
current_items(ItemBuffer *scratch, PyObject *value, Py_ssize_t size)
{
    if (PyList_CheckExact(value)) {
        return PySequence_Fast_ITEMS(value);
    }
    if (scratch->capacity < size) {
        PyObject **items = PyMem_RawRealloc(scratch->items, 2 * (size_t)size * sizeof *items);
        if (items == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        scratch->items = items;
        scratch->capacity = 2 * size;
    }
    dict_items(value, scratch->items);
    return scratch->items;
}

/* Replace `removed` items from `first` on by `added` empty ones. */
static Node *
replace_items(Node *node, Py_ssize_t first, Py_ssize_t removed, Py_ssize_t added)
{
    Py_ssize_t size = node->size - removed + added, tail = node->size - first - removed;
    for (Py_ssize_t i = first; i < first + removed; i++) {
        clear_fingerprint(&node->items[i]);
    }
    Node *to = node;
    if (size > node->capacity) {
        to = new_node(node->type, size + size / 2);
        if (to == NULL) {
            return NULL;
        }
        memcpy(to->items, node->items, (size_t)first * sizeof *to->items);
        memcpy(to->ends, node->ends, (size_t)first * sizeof *to->ends);
    }
    memmove(to->items + first + added, node->items + first + removed,
            (size_t)tail * sizeof *to->items);
    memmove(to->ends + first + added, node->ends + first + removed,
            (size_t)tail * sizeof *to->ends);
    memset(to->items + first, 0, (size_t)added * sizeof *to->items);
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

/* Write the new text, from parts of the old one; the node has been updated already. */
static WriteResult
write_updated(Text *text, Node *node, const Buffer *before, PyObject **items, Py_ssize_t first,
              Py_ssize_t added, size_t tail_at, int was_tail_first)
{
    size_t prefix = first ? node->ends[first - 1] : 1;
    Py_ssize_t tail = first + added;
    if (text_plain(text, before->bytes, prefix) < 0) {
        return FAILED;
    }
    for (Py_ssize_t i = first; i < tail; i++) {
        if (put_separator(text, node, i) < 0) {
            return FAILED;
        }
        WriteResult status = write_value(text, items[i], &node->items[i], 1);
        if (status != WRITTEN) {
            return status;
        }
        node->ends[i] = (uint32_t)text->out.size;
    }
    if (tail < node->size) {
        /* A separator belongs to the item after it; the first item has none. */
        if (was_tail_first && put_separator(text, node, tail) < 0) {
            return FAILED;
        }
        tail_at += tail == 0 && !was_tail_first ? 2 : 0;
    }
    uint32_t shift = (uint32_t)(text->out.size - tail_at);
    for (Py_ssize_t i = tail; i < node->size; i++) {
        node->ends[i] += shift;
    }
    return text_plain(text, before->bytes + tail_at, before->size - tail_at) < 0 ? FAILED : WRITTEN;
}

/* Update a fingerprint, and write the new text to `text`. `before`: the complete text of the old
   value. If the result is NOT_UPDATED, the fingerprint may have been cleared. */
static UpdateResult
update_repr(Text *text, Fingerprint *fingerprint, const Buffer *before, PyObject *value,
            ItemBuffer *scratch)
{
    Node *node = container_node(fingerprint);
    Py_ssize_t size = item_count(value);
    if (size == 0 || node->size == 0) {
        return size == node->size ? UNCHANGED : NOT_UPDATED;
    }
    PyObject **items = current_items(scratch, value, size);
    if (items == NULL) {
        return UPDATE_FAILED;
    }
    Py_ssize_t common = size < node->size ? size : node->size, first = 0, last = 0;
    while (first < common && is_same(&node->items[first], items[first])) {
        first++;
    }
    if (first == size && first == node->size) {
        return UNCHANGED;
    }
    while (last < common - first &&
           is_same(&node->items[node->size - 1 - last], items[size - 1 - last])) {
        last++;
    }
    Py_ssize_t tail = node->size - last;
    size_t tail_at = tail ? node->ends[tail - 1] : 1;
    Node *opened = replace_items(node, first, node->size - first - last, size - first - last);
    if (opened == NULL) {
        return UPDATE_FAILED;
    }
    fingerprint->tag = (uintptr_t)opened;
    open_containers[0] = value;
    text->out.size = 0;
    /* The copied parts are counted in bytes, of which there are at least as many as characters. */
    text->characters = 0;
    WriteResult status = write_updated(text, opened, before, items, first, size - first - last,
                                       tail_at, tail == 0);
    if (status == FAILED) {
        return UPDATE_FAILED;
    }
    if (status != WRITTEN || text->characters > text->limit) {
        clear_fingerprint(fingerprint);
        return NOT_UPDATED;
    }
    return UPDATED;
}

#endif
