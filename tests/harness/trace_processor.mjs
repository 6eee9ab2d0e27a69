// Answers SQL about traces with Perfetto's own trace processor.
//
//   node trace_processor.mjs FOLDER
//
// FOLDER holds the trace processor as published for Node: a WebAssembly module, the worker script
// that hosts it and the client side of its protocol. Every line on standard input is a number and a request, and is
// answered by a line with the same number: {"load": "..."} loads a trace, {"sql": "..."} asks about it,
// {"package": "FOLDER"} makes a folder of PerfettoSQL modules known until another trace is loaded. The answer is
// {"columns": [...], "rows": [[...], ...]} or {"error": "..."}. Each number has a trace processor of its own, in a thread of its
// own, from its first request until one without text; a number without text is the last answer of one that has ended. They run in
// one process, because its threads share the module's compiled code: optimising that takes each process some three seconds.
//
// Before each trace the module's memory is set to what it was when the trace processor had just been made: to make another
// one takes 70 ms, ten times as long. For a trace of packets it is set to what it was after an empty packet, by which the trace
// processor knows what it reads and has made its tables of messages, which takes 25 ms.
//
// Numbers are exact: an integer of 64 bits is written with all its digits, a floating-point number with a point or an exponent.

import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import vm from 'node:vm';
import {once} from 'node:events';
import {pathToFileURL} from 'node:url';
import {isMainThread, parentPort, Worker, workerData} from 'node:worker_threads';

// Bytes of a trace that go to the module at a time.
const CHUNK = 16 << 20;

// Bytes of memory that are compared to find those that are not 0.
const PAGE = 64 << 10;

// A packet of a trace without contents. Every trace of packets begins with its first byte, and no other file that we write.
const EMPTY_PACKET = Uint8Array.of(0x0a, 0x00);

// Standard output belongs to the answers.
console.log = console.info = console.error;

// The worker script is made for browsers. Three parts of it have to know that it runs here.
function adapted(script) {
  const change = (from, to) => {
    if (!script.includes(from)) throw new Error(`the worker script has no ${from}`);
    script = script.replace(from, to);
  };
  // The 64-bit module is not part of the package.
  change('this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;');
  // No fetch: the module's bytes are given.
  change('locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: self.ompttraceModule,');
  // Keep hold of the bridge, to know when the module is ready.
  change('new wasm_bridge_1.WasmBridge();', '(self.ompttraceBridge = new wasm_bridge_1.WasmBridge());');
  return script;
}

// Runs the worker script in this very thread and waits for the module to be ready.
async function startModule(folder) {
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = class {};
  globalThis.location = {href: pathToFileURL(folder + path.sep).href};
  self.ompttraceModule = new Uint8Array(fs.readFileSync(path.join(folder, 'trace_processor.wasm')));
  vm.runInThisContext(adapted(fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8')));
  const bridge = self.ompttraceBridge;
  while (bridge.reqBufferAddr === 0) await new Promise((done) => setTimeout(done, 2));
  return bridge;
}

// A client side, joined to the module by a channel of messages.
function connect(EngineBase, bridge) {
  const channel = new MessageChannel();
  bridge.messagePort = undefined;
  bridge.initialize(channel.port1);
  class Engine extends EngineBase {
    id = 'ompttrace';
    mode = 'WASM';
    rpcSendRequestBytes(bytes) {
      channel.port2.postMessage(bytes);
    }
    close() {
      channel.port1.close();
    }
  }
  const engine = new Engine();
  channel.port2.onmessage = ({data}) => engine.onRpcResponseBytes(data);
  return engine;
}

// The module, and what makes a new trace processor of it for a file.
async function startModuleAndClient(folder) {
  const {EngineBase} = await import(pathToFileURL(folder + path.sep + 'engine.mjs').href);
  const bridge = await startModule(folder);
  const first = connect(EngineBase, bridge);
  await first.resetTraceProcessor({
    cropTrackEvents: false,
    ingestFtraceInRawTable: false,
    analyzeTraceProtoContent: false,
    ftraceDropUntilAllCpusValid: false,
  });
  const made = used(bridge.connection.HEAPU8);
  await first.parse(EMPTY_PACKET);
  const begun = used(bridge.connection.HEAPU8);
  first.close();
  return (file) => {
    // The module's memory may have grown since, and never shrinks.
    const memory = bridge.connection.HEAPU8;
    memory.fill(0);
    for (const {at, bytes} of hasPackets(file) ? begun : made) memory.set(bytes, at);
    return connect(EngineBase, bridge);
  };
}

function hasPackets(file) {
  const opened = fs.openSync(file, 'r');
  const byte = Buffer.alloc(1);
  fs.readSync(opened, byte, 0, 1, 0);
  fs.closeSync(opened);
  return byte[0] === EMPTY_PACKET[0];
}

// Copies of the pages of a memory that are not all 0, most of which are.
function used(memory) {
  const zeros = Buffer.alloc(PAGE);
  const pages = [];
  for (let at = 0; at < memory.length; at += PAGE) {
    const bytes = memory.subarray(at, at + PAGE);
    if (zeros.compare(bytes) !== 0) pages.push({at, bytes: bytes.slice()});
  }
  return pages;
}

async function load(engine, trace) {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, fs.statSync(trace).size + 1));
  const file = fs.openSync(trace, 'r');
  for (;;) {
    const length = fs.readSync(file, chunk, 0, chunk.length, null);
    if (length === 0) break;
    await engine.parse(chunk.subarray(0, length));
  }
  fs.closeSync(file);
  await engine.notifyEof();
  return '{"columns":[],"rows":[]}';
}

// JSON.stringify would refuse large integers and make integers of whole floating-point numbers.
function cell(value) {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('hex'));
  if (typeof value !== 'number') return JSON.stringify(value);
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  const digits = String(value);
  return /[.e]/.test(digits) ? digits : digits + '.0';
}

async function query(engine, sql) {
  const result = await engine.query(sql);
  const columns = result.columns();
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push('[' + columns.map((column) => cell(row.get(column))).join(',') + ']');
  }
  return `{"columns":${JSON.stringify(columns)},"rows":[${rows.join(',')}]}`;
}

// Makes the .sql files of a folder known as modules of a package that is called like the folder.
async function register(engine, folder) {
  const name = path.basename(folder);
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const modules = files.map((file) => ({
    name: `${name}.${path.basename(file, '.sql')}`,
    sql: fs.readFileSync(path.join(folder, file), 'utf8'),
  }));
  await engine.registerSqlPackages({name, modules});
  // The client forgets to forget that it is at it, and refuses the next one.
  engine.pendingRegisterSqlPackage = undefined;
  return '{"columns":[],"rows":[]}';
}

const failure = (error) => JSON.stringify({error: String(error?.message ?? error)});

// One trace processor: answers the requests in their order.
async function serve(folder) {
  const requests = [];
  parentPort.on('message', (text) => requests.push(JSON.parse(text)));
  const renewed = await startModuleAndClient(folder);
  let engine;
  const answer = async (request) => {
    if (request.package) return register(engine, request.package);
    if (request.sql) return query(engine, request.sql);
    engine?.close();
    engine = renewed(request.load);
    return load(engine, request.load);
  };
  for (;;) {
    while (requests.length === 0) await once(parentPort, 'message');
    parentPort.postMessage(await answer(requests.shift()).catch(failure));
  }
}

// All of them, by number.
async function host(folder) {
  // Not fs.writeSync: with workers the pipe does not block, and takes a part of a long line.
  const answer = (number, text) => process.stdout.write(`${number} ${text}\n`);
  const workers = new Map();
  const start = (number) => {
    const worker = new Worker(new URL(import.meta.url), {workerData: folder});
    worker.on('message', (text) => answer(number, text));
    worker.on('error', (error) => console.error(error));
    worker.on('exit', () => answer(number, ''));
    workers.set(number, worker);
    return worker;
  };
  for await (const line of readline.createInterface({input: process.stdin})) {
    const [, number, request] = /^(\d+) (.*)$/.exec(line);
    const worker = workers.get(number) ?? start(number);
    if (request) worker.postMessage(request);
    else worker.terminate();
  }
}

if (isMainThread) {
  await host(process.argv[2]);
  process.exit(0);
}
await serve(workerData);
