// Loaded before an app of the fleet: when the process that started it is gone, however it ended, the channel to it
// closes, and the app stops as at a SIGTERM.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep an app alive that has closed everything else.
process.channel?.unref();
