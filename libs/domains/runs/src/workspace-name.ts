const WORKSPACE_NAME_MAX = 60;

/** @returns the name of a new workspace: the beginning of its prompt, on one line */
export function workspaceName(prompt: string): string {
  const line = prompt.trim().replace(/\s+/g, ' ');
  const letters = [...line];
  return letters.length <= WORKSPACE_NAME_MAX
    ? line
    : `${letters.slice(0, WORKSPACE_NAME_MAX - 1).join('')}…`;
}
