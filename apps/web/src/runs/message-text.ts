/** The way of programs to confirm the price of columns that wait; users of this page press the button of the plan. */
const OF_PROGRAMS =
  / A run of the plan plan_\w+ looks them up for at most (.+?) \(POST \/v1\/plans\/plan_\w+\/runs; over MCP, its plan_id\)\./g;

/** @returns the message of a run without what only programs can do */
export function messageText(message: string): string {
  return message.replace(OF_PROGRAMS, ' Looking them up costs at most $1: run the plan to do so.');
}
