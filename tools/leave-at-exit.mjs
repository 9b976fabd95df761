// Loaded before Jest's own process. Node 24 clears its environment up when a process ends by itself, and waits there
// for ever, a core busy, for what a native package never hands back; a suite in one process met that after its last
// line. A process that has nothing left to do leaves here at once instead. Whatever still holds the loop open holds it
// as before, and is reported as a leak.
process.once('beforeExit', () => {
  // Last of all listeners, so that every other one has run.
  // With the code that they have set: the one that a listener is given was taken before any of them ran.
  process.on('exit', () => process.exit());
});
