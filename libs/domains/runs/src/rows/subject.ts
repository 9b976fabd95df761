/** Person whom a contact lookup is about. */
export interface Subject {
  first_name?: string;
  last_name?: string;
  company?: string;
  domain?: string;
  linkedin_url?: string;
}
