/** Executes one Java program and records it. */
module worldline.tracer {
    requires jdk.compiler;
    exports worldline.tracer;
}
