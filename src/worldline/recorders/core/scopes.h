/* The activations of the program's functions that are alive, with what was last seen of each. */

#ifndef WORLDLINE_SCOPES_H
#define WORLDLINE_SCOPES_H

#include "code.h"
#include "shadow.h"

/* One variable: what it looked like, and the text that stood for it. */
typedef struct {
    Shadow shadow;
    Buffer text;
    char is_known;   /* it had a value at the scope's last step */
    char is_changed; /* and has another now */
    char is_whole;   /* its text was not cut */
    char is_present; /* met in this step (names of a namespace only) */
} Variable;

typedef struct Scope {
    struct Scope *next;
    PyFrameObject *frame; /* not held: only its address is looked at */
    Code *code;
    char numbered[24]; /* its number, with a comma before it */
    size_t numbered_size;
    int last_line;
    int raised_at, raised_line; /* where an exception struck, or -1; the last line step after it */
    int variables;
    Variable *variable;
    PyObject *names;     /* of a module or class body: each name's place among the variables */
    PyObject *namespace; /* and where they live, when it was entered */
    Buffer *quoted;
} Scope;

static struct {
    Scope **buckets;
    size_t mask;
    size_t alive;
    Scope *last; /* the one that was looked up before */
    long number; /* of the next */
} scopes;

static inline size_t
bucket_of(const PyFrameObject *frame, size_t mask)
{
    uintptr_t address = (uintptr_t)frame;
    return (address >> 4 ^ address >> 14) & mask;
}

static inline Scope *
find_scope(const PyFrameObject *frame)
{
    if (scopes.last != NULL && scopes.last->frame == frame) {
        return scopes.last;
    }
    if (scopes.buckets == NULL) {
        return NULL;
    }
    Scope *scope = scopes.buckets[bucket_of(frame, scopes.mask)];
    while (scope != NULL && scope->frame != frame) {
        scope = scope->next;
    }
    return scopes.last = scope;
}

static int
grow_scopes(void)
{
    size_t mask = scopes.buckets ? scopes.mask * 2 + 1 : 255;
    Scope **buckets = PyMem_RawCalloc(mask + 1, sizeof *buckets);
    if (buckets == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; scopes.buckets != NULL && i <= scopes.mask; i++) {
        for (Scope *scope = scopes.buckets[i], *next; scope != NULL; scope = next) {
            next = scope->next;
            Scope **place = &buckets[bucket_of(scope->frame, mask)];
            scope->next = *place;
            *place = scope;
        }
    }
    PyMem_RawFree(scopes.buckets);
    scopes.buckets = buckets;
    scopes.mask = mask;
    return 0;
}

/* One variable more; of a namespace, which has as many as it likes. */
static int
add_variable(Scope *scope, PyObject *name)
{
    size_t count = (size_t)scope->variables;
    if ((count & (count - 1)) == 0) {
        size_t room = count ? 2 * count : 1;
        Variable *variable = PyMem_RawRealloc(scope->variable, room * sizeof *variable);
        if (variable != NULL) {
            scope->variable = variable;
        }
        Buffer *quoted = PyMem_RawRealloc(scope->quoted, room * sizeof *quoted);
        if (quoted != NULL) {
            scope->quoted = quoted;
        }
        if (variable == NULL || quoted == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    scope->variable[count] = (Variable){0};
    scope->quoted[count] = (Buffer){0};
    scope->variables++;
    if (put_quoted(&scope->quoted[count], name) < 0 ||
        buffer_put(&scope->quoted[count], ":\"", 2) < 0) {
        return -1;
    }
    PyObject *place = PyLong_FromSize_t(count);
    int result = place == NULL ? -1 : PyDict_SetItem(scope->names, name, place);
    Py_XDECREF(place);
    return result;
}

/* Empty what a scope of a function has, to be used again by the next call of it. */
static void
keep_spare(Scope *scope)
{
    for (int i = 0; i < scope->variables; i++) {
        Variable *variable = &scope->variable[i];
        forget(&variable->shadow);
        if (variable->text.room > 1024) {
            buffer_free(&variable->text);
        }
        variable->is_known = variable->is_changed = 0;
    }
    scope->next = scope->code->spare;
    scope->code->spare = scope;
}

static void
free_scope(Scope *scope)
{
    for (int i = 0; i < scope->variables; i++) {
        forget(&scope->variable[i].shadow);
        buffer_free(&scope->variable[i].text);
        if (scope->names != NULL) {
            buffer_free(&scope->quoted[i]);
        }
    }
    if (scope->names != NULL) {
        PyMem_RawFree(scope->quoted);
    }
    PyMem_RawFree(scope->variable);
    Py_XDECREF(scope->names);
    Py_XDECREF(scope->namespace);
    PyMem_RawFree(scope);
}

static void
free_spares(Scope *scope)
{
    for (Scope *next; scope != NULL; scope = next) {
        next = scope->next;
        free_scope(scope);
    }
}

/* The frame is left for good, or another one has its address and its code may be gone. */
static void
end_scope(Scope *scope, int is_code_alive)
{
    Scope **place = &scopes.buckets[bucket_of(scope->frame, scopes.mask)];
    while (*place != scope) {
        place = &(*place)->next;
    }
    *place = scope->next;
    scopes.alive--;
    scopes.last = NULL;
    if (is_code_alive && scope->code->is_function) {
        keep_spare(scope);
    }
    else {
        free_scope(scope);
    }
}

/* A code object dies: frames of it that died unseen have left their scopes behind. */
static void
drop_scopes_of(const void *code)
{
    for (size_t i = 0; scopes.buckets != NULL && i <= scopes.mask; i++) {
        for (Scope **place = &scopes.buckets[i], *scope; (scope = *place) != NULL;) {
            if (scope->code == code) {
                *place = scope->next;
                scopes.alive--;
                scopes.last = NULL;
                free_scope(scope);
            }
            else {
                place = &scope->next;
            }
        }
    }
}

static Scope *
new_scope(Code *code, PyObject *namespace)
{
    Scope *scope = code->spare;
    if (scope != NULL) {
        code->spare = scope->next;
        return scope;
    }
    scope = PyMem_RawCalloc(1, sizeof *scope);
    if (scope == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (code->is_function) {
        scope->variables = code->variables;
        scope->quoted = code->quoted;
        scope->variable = PyMem_RawCalloc((size_t)code->variables + 1, sizeof *scope->variable);
    }
    else {
        scope->names = PyDict_New();
        scope->namespace = Py_XNewRef(namespace);
    }
    if (code->is_function ? scope->variable == NULL : scope->names == NULL) {
        free_scope(scope);
        PyErr_NoMemory();
        return NULL;
    }
    return scope;
}

/* `namespace`: where the names of a module or class body live; NULL for a function. */
static Scope *
begin_scope(PyFrameObject *frame, Code *code, PyObject *namespace, int line)
{
    if (scopes.alive >= scopes.mask && grow_scopes() < 0) {
        return NULL;
    }
    Scope *scope = new_scope(code, namespace);
    if (scope == NULL) {
        return NULL;
    }
    scope->frame = frame;
    scope->code = code;
    scope->last_line = line;
    scope->raised_at = -1;
    char *end = scope->numbered + sizeof scope->numbered;
    char *at = put_digits(end, (unsigned long)scopes.number++);
    *--at = ',';
    scope->numbered_size = (size_t)(end - at);
    memmove(scope->numbered, at, scope->numbered_size);
    Scope **place = &scopes.buckets[bucket_of(frame, scopes.mask)];
    scope->next = *place;
    *place = scope;
    scopes.alive++;
    return scopes.last = scope;
}

static void
end_all_scopes(void)
{
    for (size_t i = 0; scopes.buckets != NULL && i <= scopes.mask; i++) {
        for (Scope *scope = scopes.buckets[i], *next; scope != NULL; scope = next) {
            next = scope->next;
            free_scope(scope);
        }
    }
    PyMem_RawFree(scopes.buckets);
    scopes.buckets = NULL;
    scopes.last = NULL;
    scopes.mask = scopes.alive = 0;
}

#endif
