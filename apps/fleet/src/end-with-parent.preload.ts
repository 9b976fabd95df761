// Loaded before an app of the fleet: when its parent process has ended, for whatever reason, the IPC channel closes, and the
// app stops as on SIGTERM.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep an app running that has closed everything else.
process.channel?.unref();
