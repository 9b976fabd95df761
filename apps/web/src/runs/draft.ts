const KEY = 'quarry.prompt';

/** Returns the typed prompt that is not sent yet; a reload keeps it. */
export const readDraft = () => sessionStorage.getItem(KEY) ?? '';
export const keepDraft = (prompt: string) => sessionStorage.setItem(KEY, prompt);
export const forgetDraft = () => sessionStorage.removeItem(KEY);
