// Instrumentation of JavaScript source: calls of the tracer before statements and around functions.
//
// Text is only inserted, never with a newline: line numbers stay those of the program. The rules of
// the events are in docs/reference/javascript.md.
import { parse, tokTypes } from "acorn";

const OPTIONS = {
  ecmaVersion: "latest",
  locations: true,
  allowReturnOutsideFunction: true,
  allowHashBang: true,
};
// Statements that execute nothing themselves.
const SILENT = new Set([
  "BlockStatement",
  "EmptyStatement",
  "FunctionDeclaration",
  "TryStatement",
  "DoWhileStatement",
  "LabeledStatement",
  "WhileStatement",
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ExportDefaultDeclaration",
]);
const LOOPS = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);
const COMPOUND = new Set([...LOOPS, "IfStatement", "SwitchStatement", "TryStatement", "LabeledStatement"]);

/**
 * Instrument a program.
 *
 * @param {string} text The program.
 * @param {boolean} tracesModule Whether the top level is recorded, not only its functions.
 * @returns The code, the name of its tracer, and the tables of functions and sites.
 */
export function instrument(text, tracesModule) {
  const tokens = [];
  const { tree, isModule } = parseProgram(text, tokens);
  return new Instrumenter(text, tree, isModule, tokens).run(tracesModule);
}

/** Parse as a script, or as a module if it has import and export declarations. */
function parseProgram(text, tokens) {
  try {
    return { tree: parse(text, { ...OPTIONS, onToken: tokens }), isModule: false };
  } catch (error) {
    tokens.length = 0;
    try {
      return {
        tree: parse(text, { ...OPTIONS, onToken: tokens, sourceType: "module" }),
        isModule: true,
      };
    } catch {
      throw error;
    }
  }
}

class Instrumenter {
  constructor(text, tree, isModule, tokens) {
    this.text = text;
    this.tree = tree;
    this.isModule = isModule;
    this.arrows = tokens.filter((token) => token.type === tokTypes.arrow).map((token) => token.end);
    this.openers = new Map();
    this.closers = new Map();
    this.removed = [];
    this.functions = [];
    this.sites = [];
    this.hook = unusedName(text, "$trace");
    this.frame = unusedName(text, "$frame");
    this.error = unusedName(text, "$error");
  }

  run(tracesModule) {
    const body = this.tree.body;
    if (tracesModule) {
      const start = afterDirectives(body, 0);
      const context = this.newFunction("<module>", 1, [], body, null);
      this.open(start, this.enterText(context, []));
      this.statements(body, context, context.env, null);
      this.close(this.text.length, `\n${this.exitText()}`);
    } else {
      // The top level is executed before the recording starts.
      const context = { isSilent: true, variables: [], env: newEnv(null) };
      this.statements(body, context, context.env, null);
    }
    return {
      code: this.assemble(),
      hook: this.hook,
      isStrict: this.isModule,
      functions: this.functions,
      sites: this.sites,
    };
  }

  // -- insertions ------------------------------------------------------------------------------

  open(position, text) {
    add(this.openers, position, text);
  }

  close(position, text) {
    add(this.closers, position, text);
  }

  /** Insert text before and after an expression, around what is inserted within it. */
  wrap(node, before, after, context, env) {
    this.open(node.start, before);
    this.expressions(node, context, env);
    this.close(node.end, after);
  }

  assemble() {
    const positions = [...new Set([...this.openers.keys(), ...this.closers.keys(), ...this.removed.flat()])];
    positions.sort((a, b) => a - b);
    let code = "";
    let last = 0;
    for (const position of positions) {
      code += this.copy(last, position);
      code += (this.closers.get(position) ?? []).join("") + (this.openers.get(position) ?? []).join("");
      last = position;
    }
    return code + this.copy(last, this.text.length);
  }

  /** The text between two positions; removed text is replaced by its newlines. */
  copy(start, end) {
    const part = this.text.slice(start, end);
    const isRemoved = this.removed.some(([from, to]) => start >= from && end <= to);
    return isRemoved ? part.replace(/[^\r\n\u2028\u2029]+/g, "") : part;
  }

  // -- functions -------------------------------------------------------------------------------

  newFunction(name, line, parameters, body, receiver) {
    const env = newEnv(null);
    for (const parameter of parameters) declare(env, parameter);
    const variables = [...(receiver ? ["this"] : []), ...parameters];
    const context = { name, receiver, variables, env, loops: [], isSilent: false };
    for (const each of hoistedVars(body)) {
      remember(context, each);
      if (!env.names.has(each)) env.names.set(each, "unset");
    }
    context.id = this.functions.length;
    this.functions.push({ name, line, variables, parameters: parameters.length + (receiver ? 1 : 0) });
    return context;
  }

  enterText(context, parameters) {
    const names = [...(context.receiver ? ["this"] : []), ...parameters];
    const site = this.site(this.functions[context.id].line, names, new Set());
    return `;const ${this.frame}=${this.hook}.enter(${context.id},${site},${this.values(names, context, new Set())});try{`;
  }

  exitText() {
    const { hook, frame, error } = this;
    return `;${frame}.value=void 0;}catch(${error}){${hook}.raise(${frame},${error});throw ${error}}finally{${hook}.exit(${frame})}`;
  }

  function(node, name, outer, receiver = null) {
    const parameters = node.params.flatMap(patternNames);
    const silent = { ...outer, isSilent: true };
    for (const parameter of node.params) this.expressions(parameter, silent, newEnv(null));
    const isExpression = node.type === "ArrowFunctionExpression" && node.expression;
    const statements = isExpression ? [] : node.body.body;
    const context = this.newFunction(name, node.loc.start.line, parameters, statements, receiver);
    if (isExpression) {
      this.arrowExpression(node, context, parameters);
      return;
    }
    const start = afterDirectives(statements, node.body.start + 1);
    const end = node.body.end - 1;
    this.open(start, this.enterText(context, parameters));
    this.statements(statements, context, context.env, null);
    // At one position, what closes comes first: an empty body is an exception.
    if (start === end) this.open(start, this.exitText());
    else this.close(end, this.exitText());
  }

  arrowExpression(node, context, parameters) {
    const start = this.arrows.findLast((end) => end <= node.body.start);
    const event = this.lineText(node.body.loc.start.line, context, context.env);
    this.open(start, `{${this.enterText(context, parameters)}${event};return ${this.frame}.value=(`);
    this.expressions(node.body, context, context.env);
    this.close(node.end, `)${this.exitText()}}`);
  }

  // -- events ----------------------------------------------------------------------------------

  site(line, names, unset) {
    const flags = names.map((name) => (unset.has(name) ? 1 : 0));
    this.sites.push({ line, names, unset: flags.includes(1) ? flags : null });
    return this.sites.length - 1;
  }

  /** Call of the tracer before a line; an expression. */
  lineText(line, context, env) {
    const { names, unset } = visible(context, env);
    const uncertain = env.uncertain ?? new Set();
    const site = this.site(line, names, unset);
    return `${this.hook}.line(${this.frame},${site},${this.values(names, context, uncertain)})`;
  }

  values(names, context, uncertain) {
    const parts = names.map((name) => {
      const isUncertain = uncertain.has(name) || (name === "this" && context.receiver === "derived");
      return isUncertain ? `${this.hook}.safe(()=>${name})` : name;
    });
    return `[${parts.join(",")}]`;
  }

  // -- statements ------------------------------------------------------------------------------

  /** Instrument a list of statements; `headerLine` is the line of an event just before it. */
  statements(list, context, env, headerLine) {
    for (const node of list) {
      const declared = node.type.startsWith("Export") ? node.declaration : node;
      if (declared?.type === "FunctionDeclaration" && declared.id) {
        declare(env, declared.id.name);
        remember(context, declared.id.name);
      }
    }
    let previous = headerLine;
    for (const node of list) {
      const line = eventNode(node).loc.start.line;
      if (line !== previous) this.before(node, context, env);
      this.statement(node, context, env);
      const isCompound = COMPOUND.has(node.type) && node.loc.end.line !== line;
      if (!SILENT.has(node.type) || COMPOUND.has(node.type)) previous = isCompound ? null : line;
      for (const name of lexicalNames(node)) {
        declare(env, name);
        remember(context, name);
      }
    }
  }

  before(node, context, env) {
    if (context.isSilent) return;
    const executed = eventNode(node);
    if (SILENT.has(executed.type) || executed.directive !== undefined) return;
    this.open(node.start, `${this.lineText(executed.loc.start.line, context, env)};`);
  }

  /** Instrument the body of an `if` or a loop, which may be a single statement. */
  body(node, context, env, headerLine) {
    if (node.type === "BlockStatement") {
      this.statements(node.body, context, newEnv(env), headerLine);
      return;
    }
    this.open(node.start, "{");
    this.statements([node], context, newEnv(env), headerLine);
    this.close(node.end, "}");
  }

  statement(node, context, env, label = null) {
    const line = node.loc.start.line;
    switch (node.type) {
      case "BlockStatement":
        return this.statements(node.body, context, newEnv(env), null);
      case "IfStatement":
        this.expressions(node.test, context, env);
        this.body(node.consequent, context, env, line);
        if (node.alternate) this.body(node.alternate, context, env, line);
        return;
      case "LabeledStatement":
        return this.statement(node.body, context, env, node.label.name);
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return this.loop(node, context, env, label);
      case "ContinueStatement":
        return this.continue(node, context);
      case "SwitchStatement":
        return this.switch(node, context, env);
      case "TryStatement":
        return this.try(node, context, env);
      case "ReturnStatement":
        return this.return(node, context, env);
      case "FunctionDeclaration":
        return this.function(node, node.id.name, context);
      case "ImportDeclaration":
        return this.import(node);
      case "ExportNamedDeclaration":
      case "ExportDefaultDeclaration":
      case "ExportAllDeclaration":
        return this.export(node, context, env);
      default:
        this.expressions(node, context, env);
    }
  }

  return(node, context, env) {
    if (node.argument === null) return;
    if (context.isSilent) {
      this.expressions(node.argument, context, env);
    } else {
      this.wrap(node.argument, `${this.frame}.value=(`, ")", context, env);
    }
  }

  loop(node, context, env, label) {
    const line = node.loc.start.line;
    const inner = newEnv(env);
    const head = node.type === "ForStatement" ? node.init : node.left;
    if (node.type === "ForStatement" && node.init) this.expressions(node.init, context, env);
    if (head?.type === "VariableDeclaration") {
      for (const name of head.declarations.flatMap((each) => patternNames(each.id))) {
        declare(inner, name);
        remember(context, name);
      }
    } else if (node.type !== "ForStatement" && node.left) {
      this.expressions(node.left, context, env);
    }
    if (node.right) this.expressions(node.right, context, env);
    const again = context.isSilent ? null : this.lineText(headerLine(node), context, inner);
    if (node.test) {
      const isTested = again && node.type.endsWith("WhileStatement");
      if (isTested) this.wrap(node.test, `${again},(`, ")", context, inner);
      else this.expressions(node.test, context, inner);
    }
    if (node.type === "ForStatement") this.update(node, context, inner, again);
    const repeats = node.type === "ForInStatement" || node.type === "ForOfStatement";
    context.loops?.push({ label, again: repeats ? again : null });
    this.loopBody(node, context, inner, line, repeats ? again : null);
    context.loops?.pop();
  }

  update(node, context, env, again) {
    if (node.update) {
      if (again) this.wrap(node.update, `${again},(`, ")", context, env);
      else this.expressions(node.update, context, env);
    } else if (again) {
      // After the second semicolon, which may be far from the body.
      this.open(this.closingParenthesis(node), again);
    }
  }

  /** Position of the `)` before the body of a `for`. */
  closingParenthesis(node) {
    const from = (node.test ?? node.init)?.end ?? node.start;
    let position = node.body.start - 1;
    while (position > from && this.text[position] !== ")") position--;
    return position;
  }

  /** The body of a loop; `again` is the event before the next item of for-in and for-of. */
  loopBody(node, context, env, line, again) {
    const bodyLine = node.type === "DoWhileStatement" ? null : line;
    if (!again) return this.body(node.body, context, env, bodyLine);
    this.open(node.body.start, "{");
    this.body(node.body, context, env, bodyLine);
    this.close(node.body.end, `;${again};}`);
  }

  continue(node, context) {
    const loops = context.loops ?? [];
    const loop = node.label
      ? loops.findLast((each) => each.label === node.label.name)
      : loops[loops.length - 1];
    if (!loop?.again) return;
    this.open(node.start, `{${loop.again};`);
    this.close(node.end, "}");
  }

  switch(node, context, env) {
    this.expressions(node.discriminant, context, env);
    const inner = newEnv(env);
    // A declaration of one case may be skipped by a jump to another.
    inner.uncertain = new Set([
      ...(env.uncertain ?? []),
      ...node.cases.flatMap((each) => each.consequent.flatMap(lexicalNames)),
    ]);
    for (const each of node.cases) {
      if (each.test) this.expressions(each.test, context, inner);
      this.statements(each.consequent, context, inner, null);
    }
  }

  try(node, context, env) {
    this.statements(node.block.body, context, newEnv(env), null);
    const { hook, frame, error } = this;
    const handler = node.handler;
    if (handler) {
      const inner = newEnv(env);
      const names = handler.param ? patternNames(handler.param) : [];
      const start = handler.body.start + 1;
      if (!context.isSilent) {
        this.catchStart(handler, start, names);
      }
      for (const name of names) {
        declare(inner, name);
        remember(context, name);
      }
      this.statements(handler.body.body, context, inner, null);
    } else if (!context.isSilent) {
      this.close(node.block.end, `catch(${error}){${hook}.raise(${frame},${error});throw ${error}}`);
    }
    if (node.finalizer) this.statements(node.finalizer.body, context, newEnv(env), null);
  }

  catchStart(handler, start, names) {
    const { hook, frame, error } = this;
    if (!handler.param) {
      this.open(handler.body.start, `(${error})`);
      this.open(start, `${hook}.handle(${frame},${error});`);
    } else if (handler.param.type === "Identifier") {
      this.open(start, `${hook}.handle(${frame},${names[0]});`);
    } else {
      // A pattern: bind it after the event.
      const pattern = this.text.slice(handler.param.start, handler.param.end);
      this.removed.push([handler.param.start, handler.param.end]);
      this.open(handler.param.start, error);
      this.open(start, `${hook}.handle(${frame},${error});let ${pattern.replace(/[\r\n]/g, " ")}=${error};`);
    }
  }

  // -- modules ---------------------------------------------------------------------------------

  import(node) {
    this.removed.push([node.start, node.end]);
    const from = `require(${JSON.stringify(node.source.value)})`;
    const names = node.specifiers.map((each) => {
      if (each.type === "ImportNamespaceSpecifier") return `${each.local.name}=${from}`;
      if (each.type === "ImportDefaultSpecifier") return `${each.local.name}=${this.hook}.default(${from})`;
      return `{${keyText(each.imported)}:${each.local.name}}=${from}`;
    });
    this.open(node.start, names.length ? `const ${names.join(",")};` : `${from};`);
  }

  export(node, context, env) {
    const declared = node.declaration;
    if (!declared) {
      this.removed.push([node.start, node.end]);
      return;
    }
    this.removed.push([node.start, declared.start]);
    if (node.type === "ExportDefaultDeclaration" && !declared.id) {
      this.open(declared.start, "(");
      this.close(declared.end, ");");
      this.expressions(declared.type === "FunctionDeclaration" ? { ...declared, type: "FunctionExpression" } : declared, context, env);
      return;
    }
    this.statement(declared, context, env);
  }

  // -- expressions -----------------------------------------------------------------------------

  /** Instrument the functions, yields and awaits within a node. */
  expressions(node, context, env, name = "(anonymous)") {
    switch (node.type) {
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.function(node, node.id?.name ?? name, context);
      case "ClassExpression":
      case "ClassDeclaration":
        return this.class(node, context, env, name);
      case "VariableDeclarator":
        this.expressions(node.id, context, env);
        if (node.init) this.expressions(node.init, context, env, node.id.name);
        return;
      case "AssignmentExpression":
        this.expressions(node.left, context, env);
        return this.expressions(node.right, context, env, targetName(node.left));
      case "Property":
        return this.property(node, context, env);
      case "YieldExpression":
      case "AwaitExpression":
        if (!node.delegate && !context.isSilent) return this.suspension(node, context, env);
    }
    for (const child of children(node)) this.expressions(child, context, env);
  }

  property(node, context, env) {
    if (node.computed) this.expressions(node.key, context, env);
    const key = node.computed ? "(anonymous)" : keyName(node.key);
    if (node.method || node.kind !== "init") return this.function(node.value, key, context, "method");
    return this.expressions(node.value, context, env, key);
  }

  class(node, context, env, inferred) {
    const name = node.id?.name ?? inferred;
    if (node.superClass) this.expressions(node.superClass, context, env);
    for (const member of node.body.body) {
      if (member.computed) this.expressions(member.key, context, env);
      const key = member.key && !member.computed ? keyName(member.key) : "(anonymous)";
      if (member.type === "MethodDefinition") {
        const isDerived = member.kind === "constructor" && node.superClass;
        const receiver = member.static ? null : isDerived ? "derived" : "method";
        this.function(member.value, `${name}.${key}`, context, receiver);
      } else if (member.type === "PropertyDefinition" && member.value) {
        this.expressions(member.value, { ...context, isSilent: true }, env, `${name}.${key}`);
      } else if (member.type === "StaticBlock") {
        const silent = { isSilent: true, variables: [], env: newEnv(null) };
        this.statements(member.body, silent, silent.env, null);
      }
    }
  }

  /** `yield x` -> `resume(frame, (yield suspend(frame, false, x)), site, values)` */
  suspension(node, context, env) {
    const { hook, frame } = this;
    const { names, unset } = visible(context, env);
    const site = this.site(node.loc.start.line, names, unset);
    const values = this.values(names, context, env.uncertain ?? new Set());
    const suspend = `${hook}.suspend(${frame},${node.type === "AwaitExpression"}`;
    this.open(node.start, `${hook}.resume(${frame},(`);
    if (node.argument) this.wrap(node.argument, `${suspend},(`, "))", context, env);
    this.close(node.end, `${node.argument ? "" : ` ${suspend})`}),${site},${values})`);
  }
}

// -- scopes --------------------------------------------------------------------------------------

/** Names of one block: "set" once the declaration was passed, "unset" for a hoisted `var`. */
function newEnv(parent) {
  return { parent, names: new Map(), uncertain: parent?.uncertain };
}

function declare(env, name) {
  env.names.set(name, "set");
}

function remember(context, name) {
  if (!context.variables.includes(name)) context.variables.push(name);
}

/** Names that can be read here, from the outermost block inwards. */
function visible(context, env) {
  const blocks = [];
  for (let each = env; each; each = each.parent) blocks.unshift(each);
  const found = new Map(context.receiver ? [["this", "set"]] : []);
  for (const block of blocks) for (const [name, state] of block.names) found.set(name, state);
  const unset = new Set([...found].filter(([, state]) => state === "unset").map(([name]) => name));
  return { names: [...found.keys()], unset };
}

function hoistedVars(list) {
  const names = [];
  const visit = (node) => {
    if (/Function|Class/.test(node.type)) return;
    if (node.type === "VariableDeclaration" && node.kind === "var") {
      names.push(...node.declarations.flatMap((each) => patternNames(each.id)));
    }
    for (const child of children(node)) visit(child);
  };
  list.forEach(visit);
  return [...new Set(names)];
}

/** Names that a statement declares for the statements after it. */
function lexicalNames(node) {
  const declared = node.type.startsWith("Export") ? node.declaration : node;
  if (declared?.type === "VariableDeclaration") {
    return declared.declarations.flatMap((each) => patternNames(each.id));
  }
  if (declared?.type === "ClassDeclaration" && declared.id) return [declared.id.name];
  if (node.type === "ImportDeclaration") return node.specifiers.map((each) => each.local.name);
  return [];
}

function patternNames(node) {
  switch (node?.type) {
    case "Identifier":
      return [node.name];
    case "ObjectPattern":
      return node.properties.flatMap((each) => patternNames(each.value ?? each.argument));
    case "ArrayPattern":
      return node.elements.flatMap(patternNames);
    case "AssignmentPattern":
      return patternNames(node.left);
    case "RestElement":
      return patternNames(node.argument);
    default:
      return [];
  }
}

// -- syntax --------------------------------------------------------------------------------------

function* children(node) {
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (Array.isArray(value)) {
      for (const each of value) if (each && typeof each.type === "string") yield each;
    } else if (value && typeof value.type === "string" && value.start !== undefined) {
      yield value;
    }
  }
}

/** The statement whose event comes before a node: that of a label is its statement's. */
function eventNode(node) {
  if (node.type === "LabeledStatement") return eventNode(node.body);
  if (node.type === "ExportNamedDeclaration" && node.declaration) return node.declaration;
  return node;
}

function headerLine(node) {
  return (node.type === "DoWhileStatement" ? node.test : node).loc.start.line;
}

/** The position after "use strict" and the like, which have to be the first statements. */
function afterDirectives(list, start) {
  return list.findLast((node) => node.directive !== undefined)?.end ?? start;
}

function keyName(key) {
  if (key.type === "PrivateIdentifier") return `#${key.name}`;
  return key.type === "Identifier" ? key.name : String(key.value);
}

function keyText(key) {
  return key.type === "Identifier" ? key.name : JSON.stringify(key.value);
}

function targetName(node) {
  if (node.type === "Identifier") return node.name;
  if (node.type === "MemberExpression" && !node.computed) return keyName(node.property);
  return "(anonymous)";
}

function unusedName(text, wanted) {
  let name = wanted;
  while (text.includes(name)) name += "_";
  return name;
}

function add(map, position, text) {
  if (map.has(position)) map.get(position).push(text);
  else map.set(position, [text]);
}
