import { jest } from '@jest/globals';

/**
 * Timeout of every test and hook of the fault suites, for hangs only. The longest takes a tenth of it, so that a busy
 * machine decides nothing.
 */
const LIMIT_MS = 600_000;

jest.setTimeout(LIMIT_MS);
