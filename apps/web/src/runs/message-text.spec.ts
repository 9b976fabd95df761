import { describe, expect, it } from '@jest/globals';
import { messageText } from './message-text';

describe('the message of a run', () => {
  it('says what users can do, and not what programs can', () => {
    const message =
      'Not looked up: Email, because “cosy” was not understood. A run of the plan plan_01abc looks them up for at most 1.5 credits (POST /v1/plans/plan_01abc/runs; over MCP, its plan_id). The end.';
    expect(messageText(message)).toBe(
      'Not looked up: Email, because “cosy” was not understood. Looking them up costs at most 1.5 credits: run the plan to do so. The end.',
    );
  });
});
