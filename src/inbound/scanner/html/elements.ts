const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Elements that nobody closes. */
export const VOID = set('area base br col embed hr img input link meta param source track wbr basefont frame keygen');

/** Elements whose text is not shown. */
export const UNSHOWN = set(
  'script style template noscript head title noembed noframes object iframe datalist select audio video canvas svg math',
);

/** Elements that have no place in the line in which they stand. */
export const NO_BOX = set('script style template head title noembed noframes datalist link meta base param source');

/** Elements in whose place something else is drawn. */
export const REPLACED = set(
  'img input object iframe select audio video canvas svg math embed button meter progress textarea',
);

/** Elements that begin a line, or a cell. All others stand within the line, those that a browser does not know too. */
export const BLOCK = set(
  'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp',
);

/** Elements that end a paragraph when they begin, and those that end one of their own name. */
export const CLOSES_PARAGRAPH = set(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr listing main menu nav ol p plaintext pre search section summary table ul xmp',
);
export const CLOSES_ITSELF = set('dd dt li option td th tr');

/** Elements of HTML; the name of another one is a text that nobody sees. */
export const KNOWN: ReadonlySet<string> = new Set([
  ...VOID,
  ...UNSHOWN,
  ...REPLACED,
  ...BLOCK,
  ...set(
    'a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label map mark marquee nobr output picture q rp rt ruby s samp slot small span strike strong sub sup time tt u var colgroup g path rect circle line o:p v:rect v:roundrect w:anchorlock v:fill v:textbox v:image',
  ),
]);

/** Names of elements that pose as another turn of a conversation, as models' templates and those who imitate them write it; the source of a pattern. */
export const TURN_NAMES =
  '(?:system(?:[_-](?:message|prompt|reminder|note|instruction|override))?|instructions?|information|important|admin|developer|assistant|tool_result|tool_response|function_results|untrusted[a-z_]{0,20}|user_query)';
export const TURN_ELEMENT = new RegExp(`^${TURN_NAMES}$`);

/** Attributes whose value is shown in some place or by some program. */
export const TEXT_ATTRIBUTES = set('alt title aria-label aria-description placeholder value summary label content');

export const LINK_ATTRIBUTES = set(
  'href src srcset action formaction background cite data longdesc poster ping manifest usemap xlink:href',
);

/** Attributes that have a grammar of their own. */
export const PLAIN_ATTRIBUTES = set(
  'class id style width height align valign border cellpadding cellspacing bgcolor color size face lang dir charset rel type role target colspan rowspan xmlns name',
);

/** Attributes of HTML; the name of another one is a text that nobody sees. */
export const KNOWN_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...TEXT_ATTRIBUTES,
  ...LINK_ATTRIBUTES,
  ...PLAIN_ATTRIBUTES,
  ...set(
    'abbr accept accept-charset accesskey allow aria-hidden async autocomplete autofocus autoplay axis bottommargin char charoff checked clear cols compact controls coords crossorigin datetime decoding default defer disabled download draggable enctype fetchpriority for form frame frameborder headers hidden hreflang hspace http-equiv inert inputmode integrity ismap itemid itemprop itemref itemscope itemtype kind leftmargin link alink vlink list loading loop marginheight marginwidth max maxlength media method min minlength multiple muted nohref noshade novalidate nowrap onclick onload open pattern property readonly referrerpolicy required rev reversed rightmargin rows rules sandbox scheme scope scrolling selected shape sizes slot span spellcheck srcdoc srclang start step summary tabindex text topmargin translate valuetype version viewbox vspace wrap xml:lang xmlns:o xmlns:v xmlns:w fill stroke d x y cx cy r arcsize fillcolor strokecolor stroked',
  ),
]);
