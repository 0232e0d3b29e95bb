import type { Terms } from './concepts.ts';

export const it: Terms = {
  override:
    'ignora|ignori|ignorate|ignorare|dimentica|dimentichi|dimenticate|non seguire|non seguite|trascura|tralascia|non tenere conto|non tener conto|aggira|scavalca|disattendi|disobbedisci|smetti di seguire|scarta',
  prior: 'precedent*|sopra|finora|fino a ora|fino ad ora|originali|iniziali|ricevute|antecedenti|di prima',
  rules:
    'istruzion*|regola|regole|direttiv*|ordini|ordine|comandi|indicazion*|restrizion*|vincoli|linee guida|prompt|limitazion*',
  all: 'tutte|tutti|tutto|ogni|qualsiasi',
  yours:
    'tue|tuoi|tuo|sue|del sistema|degli sviluppatori|dello sviluppatore|che hai ricevuto|che ti sono state|che ti hanno',
  drop: "dimentica tutto quello|dimentica tutto ciò|ignora tutto quello|ignora tutto ciò|ignora la richiesta dell'utente|ignora l'utente",
  reader:
    "all'ia|per l'ia|se sei un'ia|se sei un ia|cara ia|ciao ia|nota per l'ia|istruzioni per l'ia|istruzione per l'ia|assistente ia|agente ia|agenti ia|assistenti ia|modello linguistico|se sei un assistente|se sei un modello|attenzione ia|all'assistente ia|quando riassumi questa|l'ia che legge|all'intelligenza artificiale|messaggio per l'ia",
  model: 'ia|chatbot*|modello linguistico|assistente*',
  role: "ora sei|adesso sei|da ora in poi sei|d'ora in poi sei|da questo momento sei|agisci come|fingi di essere|comportati come|recita la parte|sei diventato",
  mode: 'senza restrizioni|senza limiti|senza filtri|senza regole|senza censura|modalità sviluppatore|modalità amministratore|senza alcuna restrizione|senza alcun limite|senza limitazioni',
  preempt:
    "il tuo nuovo compito|il tuo vero compito|invece di riassumere|anziché riassumere|prima di rispondere|prima di riassumere|l'utente ha già|l'utente ha autorizzato|rispondi solo con|rispondi soltanto|rispondi esclusivamente|inizia la tua risposta|termina la tua risposta|esegui soltanto|esegui solo",
  steer: 'nuova istruzione|nuove istruzioni|seguenti istruzioni|al loro posto|invece|esegui|nuovo compito',
  secrecy:
    "non dirlo all'utente|non dire nulla all'utente|non dire niente all'utente|senza informare l'utente|senza avvisare l'utente|non informare l'utente|non avvisare l'utente|senza dirlo all'utente|l'utente non deve|all'insaputa dell'utente|senza che l'utente",
  hush: 'di nascosto|in segreto|segretamente|silenziosamente|senza chiedere|senza conferma|non menzionare|non menzionarlo|in silenzio|senza avvisare',
  reveal: 'mostra|mostrami|rivela|stampa|ripeti|scrivi|dimmi|elenca|dammi|fornisci|comunica|divulga|copia|rispondi con',
  prompt:
    'il tuo prompt|prompt di sistema|le tue istruzioni|istruzioni di sistema|messaggio di sistema|le tue istruzioni iniziali|le tue regole interne|istruzioni nascoste',
  send: 'invia|inviate|inviare|manda|mandate|inoltra|inoltrate|trasmetti|pubblica|carica|esporta|copia|spedisci|condividi',
  sensitive:
    "password|credenziali|chiavi api|chiave api|chiavi private|contatti|rubrica|posta in arrivo|cronologia|conversazione|dati dei clienti|elenco clienti|dati bancari|riservat*|ultime email|ultime e-mail|file privati|token|stipendi|variabili d'ambiente|database",
  hand: 'inviaci|ci invii|inviateci|inviarci|mandami|mandaci|rispondi con|risponda con|rispondete con|comunicaci|ci comunichi|dacci|fornisca|condividi con noi|fornirci|comunicarci',
  ask: 'inserisca|inserisci|confermi|conferma|verifichi|verifica|aggiorni|aggiorna|inserire|confermare',
  credential:
    'la sua password|la tua password|le sue credenziali|le tue credenziali|il pin|numero di carta|della carta|codice di verifica|codice di sicurezza|codice otp|codice ricevuto|frase di recupero|dati bancari|il suo pin|codice sms|cvv',
  pressure:
    'entro 24 ore|entro 48 ore|sarà sospeso|è stato sospeso|sarà bloccato|è stato bloccato|sarà chiuso|immediatamente|subito|urgente|altrimenti|definitivamente|ultimo avviso',
  assure:
    'non chiederemo mai|non le chiederemo|non ti chiederemo|mai chieder*|non condivida|non condividere|non comunichi|non comunicare|se non ha richiesto|se non hai richiesto|attenzione alle truffe|non fornire mai',
  discuss:
    'aggressore|attaccant*|attacco|attacchi|ad esempio|per esempio|esempio|ricercatori|corso|vulnerabilità|articolo|frasi come|phishing',
  mine: 'mie|mio|mia|nostre|nostro|nostra|nostri|miei',
};
