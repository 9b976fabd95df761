export { AppError, type ErrorDetail, type SerializedAppError } from './app-error.js';
export { ERROR_CODES, type ErrorCode } from './error-codes.registry.js';
export { JOB_ERROR_CODES, type JobErrorCode } from './job-error-codes.registry.js';
export { RUN_ERROR_CODES, type RunErrorCode } from './run-error-codes.registry.js';
export { excerpt } from './excerpt.js';
export { errorEnvelope, type ErrorEnvelope } from './error-envelope.js';
