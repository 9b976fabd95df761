export { EventFollower, type Following } from './event-follower.js';
export { EventLog, type EventPlace, type LoggedEvent } from './event-log.js';
export { EVENT_DAYS, eventRetention } from './event-retention.js';
