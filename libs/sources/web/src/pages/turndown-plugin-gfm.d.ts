declare module 'turndown-plugin-gfm' {
  import type TurndownService from 'turndown';

  /** Tables, strike-through and task lists. */
  export const gfm: TurndownService.Plugin;
}
