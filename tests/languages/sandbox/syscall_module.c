/* Extension module for attacks: makes any system call with any arguments. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static PyObject *
syscall_module_call(PyObject *Py_UNUSED(module), PyObject *args)
{
    long numbers[7] = {0};
    Py_buffer buffers[7] = {0};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args) && i < 7; i++) {
        PyObject *argument = PyTuple_GET_ITEM(args, i);
        if (PyLong_Check(argument)) {
            numbers[i] = PyLong_AsLong(argument);
        }
        else if (PyObject_GetBuffer(argument, &buffers[i], PyBUF_SIMPLE) == 0) {
            numbers[i] = (long)buffers[i].buf;
        }
        else {
            return NULL;
        }
    }
    long result = syscall(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
                          numbers[6]);
    long reported = result < 0 ? -errno : result;
    for (int i = 0; i < 7; i++) {
        if (buffers[i].obj != NULL) {
            PyBuffer_Release(&buffers[i]);
        }
    }
    return PyErr_Occurred() ? NULL : PyLong_FromLong(reported);
}

static PyMethodDef functions[] = {{"call", syscall_module_call, METH_VARARGS, ""}, {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "syscall_module", .m_size = -1, .m_methods = functions};

#define NUMBER(name) PyModule_AddIntConstant(module, #name, SYS_##name)

PyMODINIT_FUNC
PyInit_syscall_module(void)
{
    PyObject *module = PyModule_Create(&definition);
    NUMBER(ptrace), NUMBER(mount), NUMBER(umount2), NUMBER(unshare), NUMBER(clone), NUMBER(setns);
    NUMBER(bpf), NUMBER(io_uring_setup), NUMBER(perf_event_open), NUMBER(process_vm_readv);
    NUMBER(userfaultfd), NUMBER(keyctl), NUMBER(open_by_handle_at), NUMBER(pivot_root);
    NUMBER(init_module), NUMBER(memfd_create), NUMBER(socket), NUMBER(execve), NUMBER(open_tree);
    NUMBER(shmget), NUMBER(mq_open), NUMBER(clock_settime), NUMBER(personality), NUMBER(capset);
    NUMBER(reboot), NUMBER(fanotify_init), NUMBER(pidfd_getfd), NUMBER(quotactl);
#ifdef SYS_iopl
    NUMBER(iopl);
#endif
    return module;
}
