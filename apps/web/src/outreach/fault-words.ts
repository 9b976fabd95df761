import { ApiError } from '../api/http';

/** Replaces the places of a sequence that a refusal names by what the page calls them. */
export function faultWords(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const message = error.message.replace(
    /(?:changes\.)?steps\[(\d+)\]\.(body|subject)/g,
    (_, index, part) => `${part === 'body' ? 'The text' : 'The subject'} of message ${Number(index) + 1}`,
  );
  return new ApiError(error.status, error.code, message);
}
