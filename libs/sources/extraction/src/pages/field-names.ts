/**
 * Returns the words of a field's name without case or punctuation: `companyName`, `company_name` and `Company name` are
 * equal.
 */
export function nameWordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** @returns the words of {@link nameWordsOf} joined, for comparison */
export const folded = (name: string): string => nameWordsOf(name).join('');

/**
 * Names that callers use for the properties of schema.org, OpenGraph and meta elements. The property's own name always
 * matches.
 */
const PROPERTIES: ReadonlyArray<readonly [property: string, ...names: string[]]> = [
  ['name', 'title', 'headline', 'fullName', 'label'],
  ['headline', 'title', 'name'],
  ['title', 'name', 'headline', 'jobTitle', 'position', 'role'],
  ['jobTitle', 'title', 'position', 'role'],
  ['legalName', 'registeredName'],
  ['description', 'summary', 'about', 'abstract'],
  ['telephone', 'phone', 'phoneNumber', 'tel'],
  ['email', 'mail', 'emailAddress', 'contactEmail'],
  ['url', 'website', 'link', 'homepage', 'webAddress'],
  ['sameAs', 'socials', 'profiles', 'socialProfiles'],
  ['logo', 'logoUrl'],
  ['image', 'imageUrl', 'picture', 'photo'],
  ['foundingDate', 'founded', 'foundedYear', 'foundingYear', 'yearFounded', 'foundedIn', 'established'],
  ['numberOfEmployees', 'employees', 'employeeCount', 'headcount', 'staff', 'companySize'],
  ['streetAddress', 'street', 'addressLine'],
  ['postalCode', 'zip', 'zipCode', 'postcode'],
  ['addressLocality', 'city', 'town', 'locality'],
  ['addressRegion', 'state', 'region', 'province'],
  ['addressCountry', 'country', 'countryCode'],
  ['vatID', 'vat', 'vatNumber', 'vatId'],
  ['price', 'cost', 'amount', 'lowPrice'],
  ['priceCurrency', 'currency', 'currencyCode'],
  ['availability', 'stock', 'inStock'],
  ['brand', 'manufacturer', 'maker'],
  ['sku', 'articleNumber', 'productId', 'mpn'],
  ['ratingValue', 'rating', 'stars', 'averageRating'],
  ['reviewCount', 'reviews', 'numberOfReviews', 'ratingCount'],
  ['author', 'writer', 'by', 'creator'],
  ['datePublished', 'published', 'publishedAt', 'publishDate', 'publicationDate', 'date'],
  ['dateModified', 'updated', 'updatedAt', 'lastModified', 'modified'],
  ['datePosted', 'posted', 'postedAt', 'date'],
  ['startDate', 'start', 'startsAt', 'date'],
  ['endDate', 'end', 'endsAt'],
  ['hiringOrganization', 'employer', 'company'],
  ['employmentType', 'contractType', 'jobType'],
  ['jobLocation', 'location'],
  ['inLanguage', 'language', 'lang'],
  ['openingHours', 'hours', 'openingTimes'],
  ['keywords', 'tags', 'topics'],
  ['industry', 'sector'],
];

/** Types of schema.org by the names that callers use for their nodes. */
const TYPES: ReadonlyArray<readonly [types: RegExp, ...names: string[]]> = [
  [
    /^(Organization|Corporation|LocalBusiness|OnlineBusiness|OnlineStore|NGO|Store|ProfessionalService)$/,
    'company',
    'organization',
    'organisation',
    'business',
    'firm',
  ],
  [/^Product$/, 'product', 'item'],
  [/^Offer$/, 'offer', 'plan', 'price'],
  [/^JobPosting$/, 'job', 'position', 'vacancy', 'opening', 'role', 'jobPosting'],
  [/^Person$/, 'person', 'people', 'member', 'employee', 'founder', 'team', 'author', 'staff'],
  [/^(\w*Event|Festival)$/, 'event'],
  [/^(\w*Article|BlogPosting)$/, 'article', 'post', 'story', 'news'],
  [/^(Question)$/, 'question', 'faq'],
  [/^(Review)$/, 'review', 'testimonial'],
  [/^(PostalAddress)$/, 'address', 'location'],
  [/^(Recipe)$/, 'recipe'],
  [/^(ContactPoint)$/, 'contact'],
];

const propertiesByName = new Map<string, string[]>();
for (const [property, ...names] of PROPERTIES)
  for (const name of [property, ...names].map(folded))
    propertiesByName.set(name, [...(propertiesByName.get(name) ?? []), property]);

/** @returns folded properties that match a field: its own name first, then properties for which it is a common name */
export function propertiesFor(field: string): string[] {
  const own = folded(field);
  return [...new Set([own, ...(propertiesByName.get(own) ?? []).map(folded)])];
}

/** @returns the node types that match a field, singular or plural; null for none */
export function typesFor(field: string): RegExp | null {
  const own = folded(field);
  const singular = own.replace(/ies$/, 'y').replace(/s$/, '');
  return (
    TYPES.find(([, ...names]) => names.some((name) => [own, singular].includes(folded(name))))?.[0] ?? null
  );
}

/**
 * Splits a field that names a node and one of its properties: `company_name`, `productPrice`.
 * @returns null for any other field
 */
export function thingAndProperty(field: string): { types: RegExp; property: string } | null {
  const [first, ...rest] = nameWordsOf(field);
  const types = first === undefined || rest.length === 0 ? null : typesFor(first);
  return types && { types, property: rest.join(' ') };
}
