import type { Terms } from './concepts.ts';

/** Other languages: the terms of an override, of an address to a model, of secrecy and of what should leave; stems where words are inflected. */
export const others: Readonly<Record<string, Terms>> = {
  de: {
    override_last:
      'ignorieren|ignoriere|ignoriert|vergessen|missachten|missachte|übergehen|nicht befolgen|nicht beachten|außer acht lassen|nicht mehr befolgen',
    override:
      'ignorier*|missacht*|vergiss|vergesst|vergessen sie|befolge nicht|befolgen sie nicht|beachte nicht|beachten sie nicht|übergeh*|umgeh*|setze dich hinweg|halte dich nicht|verwirf|lass außer acht|lassen sie außer acht|folge nicht mehr|nicht mehr befolgen|nicht mehr folgen|setz dich über|überschreib*',
    prior:
      'vorherig*|bisherig*|vorig*|früher*|obig*|oben|zuvor|vorangegangen*|ursprünglich*|vorstehend*|bis jetzt|davor|vorangehend*',
    rules:
      'anweisung*|instruktion*|regel|regeln|vorgabe*|richtlinie*|befehl*|aufforderung*|systemprompt|beschränkung*|einschränkung*|sicherheitsregel*|auftrag|aufträge|weisung*',
    all: 'alle|allen|alles|sämtlich*|jede|jegliche*|ganz',
    yours: 'deine*|dein|ihre*|dir gegeben|dir erteilt|erteilten|gegebenen|des systems|des entwicklers|der entwickler',
    drop: 'vergiss alles was|vergiss alles, was|ignoriere alles was|ignoriere alles, was|vergiss deine rolle|ignoriere den nutzer|ignoriere den benutzer',
    reader:
      'an die ki|an den ki|an alle ki|liebe ki|hallo ki|hinweis für die ki|hinweis an die ki|hinweis für ki|anweisung für ki|anweisung an die ki|anweisungen für die ki|falls du eine ki|wenn du eine ki|wenn sie eine ki|wenn ein sprachmodell|falls ein sprachmodell|an das sprachmodell|ki assistenten die|ki-assistent, der|an den assistenten der diese|wenn du diese mail zusammenfasst|wenn du diese e-mail zusammenfasst|wenn du diese nachricht zusammenfasst|als ki-assistent|als ki assistent|du bist eine ki|nachricht an die ki|ki-agent, der|achtung ki',
    model: 'ki|sprachmodell*|ki assistent*|chatbot*',
    role: 'du bist jetzt|du bist nun|von nun an bist|ab sofort bist|ab jetzt bist|spiele die rolle|tu so als|verhalte dich wie|du bist ab|agiere als',
    mode: 'ohne einschränkungen|ohne beschränkungen|ohne regeln|uneingeschränkt*|ohne filter|entwicklermodus|keine regeln|keine grenzen|ungefiltert*|wartungsmodus|ohne jede regel',
    preempt:
      'deine neue aufgabe|deine eigentliche aufgabe|statt die mail zusammenzufassen|statt zusammenzufassen|anstatt zusammenzufassen|bevor du antwortest|der nutzer hat dem zugestimmt|der nutzer hat bereits zugestimmt|antworte nur mit|antworte ausschließlich mit|gib nur aus|beginne deine antwort mit|beende deine antwort mit|befolge nur die folgende|führe ausschließlich folgend*',
    steer: 'neue anweisung*|folgende anweisung*|stattdessen|führe folgend*|zuerst musst du|neue aufgabe|füge folgend*',
    secrecy:
      'sag dem nutzer nichts|sage dem nutzer nichts|sag dem benutzer nichts|sage dem benutzer nichts|ohne den nutzer|ohne den benutzer|ohne dass der nutzer|ohne dass der benutzer|informiere den nutzer nicht|informiere den benutzer nicht|dem nutzer nicht|dem benutzer nicht|der nutzer darf|verrate dem nutzer|den nutzer nicht',
    hush: 'heimlich|unbemerkt|stillschweigend|erwähne dies nicht|erwähne das nicht|erwähne diese|ohne rückfrage|ohne nachfrage|ohne bestätigung|ohne zu fragen',
    reveal: 'zeige|zeig|gib|verrate|nenne|wiederhole|offenbare|drucke|schreibe|liste|teile mir|antworte mit',
    prompt:
      'deinen systemprompt|den systemprompt|system-prompt|deine systemanweisung*|deine anweisungen|deine ursprünglichen anweisungen|deine internen anweisungen|deine geheimen anweisungen|deinen prompt|deine vorgaben',
    send: 'sende*|schick*|leite|weiterleiten|übermittle*|maile|lade*|kopiere|poste|exportiere|überweise*|verschicke',
    sensitive:
      'zugangsdaten|passwort|passwörter|kennwort|kennwörter|api schlüssel|api-schlüssel|schlüssel|kontaktliste|kontakte|postfach|posteingang|gesprächsverlauf|chatverlauf|kundendaten|kundenliste|kontodaten|vertraulich*|gehaltsliste|adressbuch|letzten mails|letzten e-mails|alle mails|alle e-mails|umgebungsvariablen|private nachrichten|kreditkartendaten',
    hand: 'schicken sie uns|senden sie uns|schick mir|sende mir|antworten sie mit|teilen sie uns|nennen sie uns|nenn mir|übermitteln sie|senden sie mir|schicken sie mir|geben sie uns',
    ask: 'geben sie|bestätigen sie|verifizieren sie|aktualisieren sie|hinterlegen sie|gib dein',
    credential:
      'ihr passwort|dein passwort|ihre zugangsdaten|ihre pin|ihre tan|tan nummer|ihre kreditkarten*|kreditkartennummer|ihre kontodaten|ihr kennwort|prüfziffer|ihre iban und pin|pin und tan|anmeldedaten|bestätigungscode|sms code|sms-code|wiederherstellungsphrase|gutscheincode*|ihr onlinebanking|kartennummer',
    pressure:
      'innerhalb von 24 stunden|innerhalb von 48 stunden|wird gesperrt|wurde gesperrt|gesperrt|sofort|umgehend|dringend|letzte mahnung|sonst wird|andernfalls|unverzüglich',
    assure:
      'niemals nach|fragen niemals|fragen nie|nie nach ihrem|geben sie niemals|nicht weiter|niemals weiter|wir fragen sie nie|nicht angefordert|warnung vor|vorsicht vor|betrüger',
    discuss:
      'angreifer|angriff|angriffe|zum beispiel|beispiel|beispielsweise|z. b|forscher*|schulung|sicherheitslücke|testfall|phishing mails|phishing-mails|vortrag|artikel|satz wie|sätze wie',
    mine: 'meine|meinen|meiner|unsere|unseren|unserer|unser|mein',
  },
  fr: {
    override:
      "ignore|ignorez|ignorer|oublie|oubliez|oublier|ne tiens pas compte|ne tenez pas compte|ne tenez plus compte|ne tiens plus compte|fais abstraction|faites abstraction|néglige*|passe outre|passez outre|contourne*|n'applique plus|désobéi*|ne suis plus|ne suivez plus|ne respecte plus|outrepasse*|faire abstraction",
    prior:
      "précédent*|antérieur*|ci-dessus|ci dessus|avant|initial*|préalable*|originales|d'origine|reçues|jusqu'ici|jusqu'à présent|jusque là",
    rules: 'instruction*|consigne*|règle*|directive*|ordre|ordres|invite*|contrainte*|restriction*|prompt|garde-fou*',
    all: "toutes|tous|tout|toute|chaque|l'ensemble",
    yours: "tes|vos|ton|votre|du système|des développeurs|du développeur|qui t'ont été|qui vous ont été|qu'on t'a",
    drop: "oublie tout ce qui|oublie tout ce que|oubliez tout ce qui|oubliez tout ce que|ignore tout ce qui|ignorez tout ce qui|oublie ton rôle|ignore la demande de l'utilisateur",
    reader:
      "à l'attention de l'ia|à l'ia|pour l'ia|si tu es une ia|si vous êtes une ia|chère ia|bonjour ia|note pour l'ia|note à l'ia|instruction pour l'ia|instructions pour l'ia|assistant ia|aux assistants ia|agent ia|modèle de langage|message pour l'ia|si vous êtes un assistant|si tu es un assistant|tu es une ia|quand tu résumes ce|lorsque vous résumez ce|attention ia|l'ia qui lit",
    model: 'ia|chatbot*|modèle de langage|assistant*',
    role: 'tu es maintenant|vous êtes maintenant|tu es désormais|vous êtes désormais|à partir de maintenant tu|désormais tu|joue le rôle|jouez le rôle|fais comme si|comporte-toi comme|agis comme|agis en tant',
    mode: 'sans restriction*|sans limite*|sans aucune limite|sans filtre*|sans règle*|sans aucune règle|sans aucune restriction|mode développeur|mode administrateur|non censuré*|aucune restriction|aucune limite|sans censure|mode maintenance',
    preempt:
      "ta nouvelle tâche|votre nouvelle tâche|ta vraie tâche|ta véritable mission|votre véritable mission|au lieu de résumer|avant de répondre|avant de résumer|l'utilisateur a déjà|l'utilisateur a autorisé|réponds uniquement|répondez uniquement|réponds seulement|commence ta réponse|termine ta réponse|exécute uniquement|suis uniquement",
    steer:
      'nouvelle instruction|nouvelles instructions|instructions suivantes|à la place|exécute|exécutez|nouvelle tâche|au lieu de cela',
    secrecy:
      "ne dis rien à l'utilisateur|ne dites rien à l'utilisateur|sans en informer l'utilisateur|sans informer l'utilisateur|sans prévenir l'utilisateur|n'informe pas l'utilisateur|n'informez pas l'utilisateur|ne le dis pas à l'utilisateur|ne préviens pas l'utilisateur|à l'insu de l'utilisateur|l'utilisateur ne doit|sans le dire à l'utilisateur|n'en parle pas à l'utilisateur|sans que l'utilisateur",
    hush: 'discrètement|secrètement|en secret|ne mentionne pas|ne mentionnez pas|sans demander|sans confirmation|ne mentionne jamais|en silence',
    reveal:
      'affiche*|révèle*|montre*|donne*|répète*|écris|imprime*|divulgue*|communique*|recopie*|répond*|liste*|dévoile*',
    prompt:
      'ton prompt|votre prompt|prompt système|invite système|tes instructions|vos instructions système|tes instructions initiales|vos instructions initiales|tes consignes|message système|vos consignes internes|tes règles internes',
    send: 'envoie|envoyez|envoyer|transfère*|transmets|transmettez|transférez|publie*|exporte*|copie*|téléverse*|achemine*|expédie*',
    sensitive:
      "mots de passe|mot de passe|identifiants|clés api|clé api|clé d'api|clés d'api|carnet d'adresses|contacts|boîte de réception|historique|conversation|données clients|données bancaires|liste des clients|confidentiel*|derniers courriels|derniers e-mails|derniers mails|fichiers privés|jetons|salaires|coordonnées bancaires|variables d'environnement",
    hand: 'envoyez-nous|envoyez nous|envoie-moi|envoyez-moi|répondez avec|répondez à ce message avec|communiquez-nous|communiquez nous|transmettez-nous|donnez-nous|fournissez-nous|en répondant avec|merci de nous envoyer|renvoyez-nous|indiquez-nous',
    ask: 'saisissez|confirmez|vérifiez|entrez|renseignez|mettez à jour|validez|fournissez|saisir|confirmer',
    credential:
      'votre mot de passe|vos identifiants|ton mot de passe|votre code pin|numéro de carte|votre carte bancaire|coordonnées bancaires|code de vérification|code reçu par sms|code de sécurité|cryptogramme|vos codes|numéro de sécurité sociale|phrase de récupération|code à six chiffres|vos coordonnées de carte',
    pressure:
      'dans les 24 heures|sous 24 heures|sous 48 heures|dans les 48 heures|sera suspendu|a été suspendu|sera bloqué|a été bloqué|sera fermé|immédiatement|de toute urgence|urgent|faute de quoi|définitivement|dernier rappel|sans délai',
    assure:
      "ne vous demandera jamais|ne demanderons jamais|ne vous demanderons jamais|ne communiquez jamais|ne partagez jamais|ne partagez pas|ne communiquez pas|si vous n'êtes pas à l'origine|méfiez-vous|ne donnez jamais|ne transmettez jamais",
    discuss:
      'attaquant*|attaque*|par exemple|exemple*|chercheurs|hameçonnage|formation|vulnérabilité*|article|conférence|du type|des phrases comme',
    mine: 'mon|ma|mes|notre|nos',
  },
  es: {
    override:
      'ignora|ignore|ignorar|ignoren|ignorad|olvida|olvide|olviden|olvidad|omite|omita|descarta|descarte|desobedece*|haz caso omiso|haga caso omiso|no sigas|no siga|no hagas caso|no tengas en cuenta|no tenga en cuenta|pasa por alto|pase por alto|anula|anule|deja de seguir|deje de seguir|prescinde*|sáltate|desestima*',
    prior: 'anterior*|previa*|previo*|de arriba|hasta ahora|original*|inicial*|precedente*|recibida*|hasta aquí|dadas',
    rules:
      'instrucción|instrucciones|regla*|directriz|directrices|orden|órdenes|indicación|indicaciones|restricción|restricciones|norma|normas|política*|límites|prompt',
    all: 'todas|todos|todo|toda|cada|cualquier*',
    yours:
      'tus|sus|tu|su|del sistema|del desarrollador|de los desarrolladores|que te dieron|que te han dado|que has recibido|que te dio',
    drop: 'olvida todo lo que|olvide todo lo que|olvida todo lo anterior|ignora todo lo anterior|ignore todo lo anterior|ignora lo que te|olvida tu papel|ignora al usuario|ignora la petición del usuario',
    reader:
      'a la ia|para la ia|si eres una ia|si es una ia|estimada ia|hola ia|querida ia|nota para la ia|instrucción para la ia|instrucciones para la ia|asistente de ia|asistentes de ia|agente de ia|agentes de ia|modelo de lenguaje|si eres un asistente|si eres un modelo|atención ia|eres una ia|mensaje para la ia|cuando resumas este|al resumir este|al procesar este|la ia que lea|para el asistente virtual|atención, ia|atención asistente',
    model: 'ia|chatbot*|modelo de lenguaje|asistente*',
    role: 'ahora eres|a partir de ahora eres|desde ahora eres|de ahora en adelante eres|actúa como|actúe como|finge ser|hazte pasar|compórtate como|eres ahora|a partir de ahora actúas|interpreta el papel',
    mode: 'sin restricciones|sin límites|sin filtros|sin reglas|sin censura|modo desarrollador|modo administrador|sin ninguna restricción|sin ninguna limitación|sin limitaciones|modo mantenimiento|sin ninguna regla',
    preempt:
      'tu nueva tarea|tu verdadera tarea|tu tarea real|en lugar de resumir|en vez de resumir|antes de responder|antes de contestar|antes de resumir|el usuario ya ha|el usuario ha autorizado|el usuario ya autorizó|responde solo con|responde únicamente|responde solamente|comienza tu respuesta|termina tu respuesta|ejecuta únicamente|sigue únicamente|tu única tarea',
    steer:
      'nueva instrucción|nuevas instrucciones|siguientes instrucciones|en su lugar|en cambio|ejecuta|ejecute|nueva tarea|haz lo siguiente',
    secrecy:
      'no se lo digas al usuario|no le digas al usuario|no le digas nada al usuario|sin avisar al usuario|sin informar al usuario|sin decírselo al usuario|no informes al usuario|no avises al usuario|no lo menciones al usuario|el usuario no debe|sin que el usuario|sin el consentimiento del usuario',
    hush: 'en secreto|discretamente|en silencio|sin preguntar|sin pedir confirmación|sin confirmación|no menciones|no mencione|sin avisar|silenciosamente',
    reveal:
      'muestra|muéstra*|revela|revele|imprime|repite|escribe|dime|da|dame|enseña|lista|divulga|copia|comparte|responde con',
    prompt:
      'tu prompt|prompt del sistema|prompt de sistema|tus instrucciones|instrucciones del sistema|mensaje del sistema|tus instrucciones iniciales|tus instrucciones internas|tus reglas internas|instrucciones ocultas',
    send: 'envía|envíe|envíen|envia|enviar|manda|mande|reenvía|reenvíe|reenvia|transmite|publica|sube|exporta|comparte|copia|remite',
    sensitive:
      'contraseña*|credenciales|claves api|clave api|claves de api|clave de api|clave privada|contactos|lista de contactos|bandeja de entrada|historial|conversación|datos de clientes|datos del cliente|datos bancarios|confidencial*|últimos correos|correos|archivos privados|tokens|nóminas|variables de entorno|base de datos|agenda|datos de la tarjeta|clientes',
    hand: 'envíenos|envianos|envíanos|envíame|enviame|mándame|responda con|responde con|responda a este correo con|facilítenos|díganos|indíquenos|dime|denos|danos|compártenos|comparte con nosotros|necesito|necesitamos',
    ask: 'introduzca|introduce|ingrese|ingresa|confirme|confirma|verifique|verifica|actualice|actualiza|valide|proporcione|escriba',
    credential:
      'su contraseña|tu contraseña|sus credenciales|tus credenciales|su pin|número de tarjeta|su tarjeta|datos de su tarjeta|código de verificación|código de seguridad|clave de acceso|su clave|tu clave|código que|frase semilla|frase de recuperación|código sms|código de seis dígitos|datos bancarios|cvv',
    pressure:
      'en 24 horas|en las próximas 24 horas|en 48 horas|será suspendida|ha sido suspendida|será bloqueada|ha sido bloqueada|será cancelada|inmediatamente|de inmediato|urgente|de lo contrario|definitivamente|último aviso|cuanto antes',
    assure:
      'nunca le pedir*|nunca te pedir*|nunca pedimos|nunca solicit*|no comparta|no compartas|no facilite|nunca comparta|nunca compartas|si no ha solicitado|si no has solicitado|cuidado con|no responda con|nunca facilite|no lo compartas',
    discuss:
      'atacante*|ataque*|por ejemplo|ejemplo*|investigador*|taller|formación|vulnerabilidad*|artículo|charla|frases como|phishing',
    mine: 'mi|mis|nuestra|nuestras|nuestro|nuestros',
  },
  it: {
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
    reveal:
      'mostra|mostrami|rivela|stampa|ripeti|scrivi|dimmi|elenca|dammi|fornisci|comunica|divulga|copia|rispondi con',
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
  },
  pt: {
    override:
      'ignore|ignora|ignorar|ignorem|esqueça|esquece|esqueçam|desconsidere|desconsidera|desconsiderar|desobedeça|não siga|não sigas|contorne|deixe de seguir|descarte|despreze|passe por cima',
    prior: 'anterior*|prévia*|prévio*|acima|até agora|original*|inicial|iniciais|precedente*|recebidas|até aqui',
    rules:
      'instruç*|instrução|regra|regras|diretriz*|ordem|ordens|orientaç*|restriç*|comandos|política*|prompt|limitações',
    all: 'todas|todos|tudo|toda|qualquer|quaisquer|cada',
    yours:
      'suas|seus|tuas|teus|do sistema|do desenvolvedor|dos desenvolvedores|que você recebeu|que recebeste|que lhe foram',
    drop: 'esqueça tudo o que|esqueça tudo que|ignore tudo o que|ignore tudo que|esquece tudo o que|ignore o pedido do usuário|ignore o usuário',
    reader:
      'à ia|para a ia|se você é uma ia|se és uma ia|se você for uma ia|cara ia|olá ia|nota para a ia|instrução para a ia|instruções para a ia|assistente de ia|agente de ia|agentes de ia|modelo de linguagem|se você é um assistente|se você for um assistente|atenção ia|ao resumir este|ao processar este|quando resumir este|a ia que ler|você é uma ia|mensagem para a ia|atenção, ia',
    model: 'ia|chatbot*|modelo de linguagem|assistente*',
    role: 'agora você é|você agora é|a partir de agora você|de agora em diante você|aja como|atue como|finja ser|comporte-se como|passa a ser|és agora',
    mode: 'sem restrições|sem limites|sem filtros|sem regras|sem censura|modo desenvolvedor|modo administrador|sem nenhuma restrição|sem qualquer restrição|sem limitações|modo de manutenção',
    preempt:
      'sua nova tarefa|sua verdadeira tarefa|sua tarefa real|em vez de resumir|antes de responder|antes de resumir|o usuário já|o usuário autorizou|o utilizador já|responda apenas|responda somente|responde apenas|comece sua resposta|termine sua resposta|execute apenas|siga apenas',
    steer: 'nova instrução|novas instruções|seguintes instruções|em vez disso|execute|nova tarefa|faça o seguinte',
    secrecy:
      'não conte ao usuário|não diga ao usuário|não diga nada ao usuário|sem avisar o usuário|sem informar o usuário|não informe o usuário|não avise o usuário|sem o usuário|o usuário não deve|sem que o usuário|não digas ao utilizador|não informes o utilizador|sem avisar o utilizador|ao utilizador',
    hush: 'em segredo|secretamente|discretamente|silenciosamente|sem perguntar|sem confirmação|sem pedir confirmação|não mencione|não menciones|às escondidas|sem avisar',
    reveal:
      'mostre|mostra|revele|revela|imprima|repita|escreva|diga|liste|forneça|divulgue|copie|compartilhe|responda com|exiba',
    prompt:
      'seu prompt|prompt do sistema|prompt de sistema|suas instruções|instruções do sistema|mensagem do sistema|suas instruções iniciais|suas regras internas|teu prompt|instruções ocultas',
    send: 'envie|envia|enviar|mande|manda|encaminhe|encaminha|transmita|publique|carregue|exporte|copie|compartilhe|reencaminhe|remeta',
    sensitive:
      'senha*|credenciais|chaves de api|chave de api|chave api|chaves api|palavra-passe|palavras-passe|contatos|contactos|caixa de entrada|histórico|conversa|dados de clientes|dados dos clientes|lista de clientes|dados bancários|confidencia*|últimos e-mails|últimos emails|arquivos privados|tokens|salários|variáveis de ambiente|banco de dados',
    hand: 'envie-nos|nos envie|envie para nós|mande-nos|me envie|me mande|responda com|informe-nos|nos informe|forneça-nos|responda a este e-mail com|diga-me|envia-nos|nos forneça',
    ask: 'digite|insira|confirme|verifique|atualize|valide|introduza|preencha',
    credential:
      'sua senha|a senha|suas credenciais|sua palavra-passe|a sua palavra-passe|número do cartão|dados do cartão|seu cartão|código de verificação|código de segurança|código recebido|código sms|frase de recuperação|seu pin|o seu pin|token do banco|dados bancários|cvv|código que',
    pressure:
      'em 24 horas|nas próximas 24 horas|em 48 horas|será suspensa|foi suspensa|será bloqueada|foi bloqueada|será cancelada|imediatamente|urgente|caso contrário|definitivamente|último aviso|será encerrada',
    assure:
      'nunca pedimos|nunca pediremos|nunca solicit*|jamais solicit*|não compartilhe|não partilhe|nunca compartilhe|nunca partilhe|se você não solicitou|se não solicitou|cuidado com|não informe a ninguém|golpe|golpes',
    discuss:
      'atacante*|ataque*|por exemplo|exemplo*|pesquisador*|treinamento|formação|vulnerabilidade*|artigo|palestra|frases como|phishing',
    mine: 'minha|minhas|meu|meus|nossa|nossas|nosso|nossos',
  },
  nl: {
    override_last: 'negeren|vergeten|omzeilen|niet volgen|niet meer volgen',
    override:
      'negeer|negeert|negeren|vergeet|sla over|omzeil|volg niet|volg niet meer|houd geen rekening|leg naast je neer|overschrijf|gehoorzaam niet',
    prior: 'vorige|eerdere|voorgaande|bovenstaande|hierboven|voorafgaande|oorspronkelijke|tot nu toe|hiervoor|eerder',
    rules:
      'instructie*|regels|regel|richtlijn*|opdracht|opdrachten|aanwijzing*|beperking*|systeemprompt|bevelen|voorschriften',
    all: 'alle|alles|elke|iedere|al',
    yours: 'je|jouw|uw|van het systeem|van de ontwikkelaar|die je kreeg|die je hebt gekregen',
    drop: 'vergeet alles wat|negeer alles wat|negeer de gebruiker|negeer het verzoek van de gebruiker',
    reader:
      'aan de ai|voor de ai|als je een ai|als u een ai|beste ai|hallo ai|hoi ai|instructie voor ai|instructies voor ai|instructies voor de ai|instructie voor de ai|notitie voor de ai|bericht aan de ai|ai-assistent die|ai assistent die|ai-agent die|taalmodel|als je een assistent|let op ai|je bent een ai|als je deze mail samenvat|als je dit bericht samenvat|aan de ai-assistent',
    model: 'ai|taalmodel*|chatbot*',
    role: 'je bent nu|jij bent nu|vanaf nu ben je|gedraag je als|doe alsof|speel de rol|u bent nu',
    mode: 'zonder beperkingen|zonder regels|zonder filters|zonder grenzen|onbeperkt*|ontwikkelaarsmodus|geen regels|geen beperkingen|ongefilterd*|beheerdersmodus',
    preempt:
      'je nieuwe taak|je echte taak|je werkelijke taak|in plaats van samen te vatten|voordat je antwoordt|voor je antwoordt|de gebruiker heeft al|de gebruiker heeft toestemming|antwoord alleen met|antwoord uitsluitend|begin je antwoord|eindig je antwoord|volg alleen',
    steer: 'nieuwe instructie*|volgende instructie*|in plaats daarvan|voer uit|nieuwe taak|doe het volgende',
    secrecy:
      'vertel de gebruiker niets|vertel het de gebruiker niet|vertel de gebruiker niet|zonder de gebruiker|zonder dat de gebruiker|informeer de gebruiker niet|de gebruiker mag|meld dit niet aan de gebruiker|zeg niets tegen de gebruiker',
    hush: 'stiekem|heimelijk|in het geheim|ongemerkt|zonder te vragen|zonder bevestiging|noem dit niet|vermeld dit niet|stilletjes',
    reveal: 'toon|laat zien|geef|onthul|druk af|herhaal|schrijf|noem|deel|stuur|antwoord met',
    prompt:
      'je systeemprompt|de systeemprompt|systeemprompt|je prompt|je instructies|systeeminstructies|je oorspronkelijke instructies|je interne regels',
    send: 'stuur|verstuur|mail|zend|upload|publiceer|exporteer|kopieer|deel|stuur door',
    sensitive:
      'wachtwoord*|inloggegevens|api-sleutel*|api sleutel*|contacten|contactenlijst|postvak in|inbox|gesprek|gespreksgeschiedenis|klantgegevens|klantenlijst|bankgegevens|vertrouwelijk*|laatste mails|privébestanden|tokens|salarissen|omgevingsvariabelen',
    hand: 'stuur ons|stuur mij|stuur me|antwoord met|mail ons|geef ons|deel met ons|geef door|app me|beantwoord deze mail met',
    ask: 'voer|bevestig|verifieer|vul|werk bij|controleer',
    credential:
      'uw wachtwoord|je wachtwoord|uw inloggegevens|uw pincode|je pincode|pincode|kaartnummer|uw pasnummer|verificatiecode|sms-code|uw bankgegevens|herstelzin|beveiligingscode|de code die|cvc',
    pressure:
      'binnen 24 uur|binnen 48 uur|wordt geblokkeerd|is geblokkeerd|wordt afgesloten|wordt opgeschort|onmiddellijk|direct|dringend|anders|definitief|laatste waarschuwing',
    assure:
      'nooit om uw|nooit om je|vragen nooit|vraagt nooit|deel nooit|deel deze code niet|niet delen|als u dit niet|geef nooit|pas op voor|oplichters',
    discuss:
      'aanvaller*|aanval|aanvallen|bijvoorbeeld|voorbeeld*|onderzoekers|training|kwetsbaarheid*|artikel|zinnen als|phishing',
    mine: 'mijn|onze|ons',
  },
  pl: {
    override:
      'zignoruj*|ignoruj*|zapomnij|zapomnijcie|pomiń|pomińcie|nie stosuj|nie przestrzegaj|przestań przestrzegać|odrzuć|lekceważ|obejdź|nie zwracaj uwagi|zlekceważ|nie wykonuj',
    prior: 'poprzedni*|wcześniejsz*|powyższ*|dotychczasow*|pierwotn*|uprzedni*|początkow*|otrzymane|dotąd',
    rules: 'instrukcj*|polece*|zasad*|wytyczn*|reguł*|komend*|rozkaz*|ogranicze*|prompt*|dyrektyw*',
    all: 'wszystki*|wszelki*|każd*|całkowicie|cał*',
    yours: 'twoje|swoje|twoich|swoich|systemow*|systemu|programist*|które otrzymał*|które dostał*',
    drop: 'zapomnij o wszystkim|zapomnij wszystko|zignoruj wszystko|zignoruj użytkownika|zignoruj prośbę użytkownika',
    reader:
      'do si|dla si|do sztucznej inteligencji|jeśli jesteś sztuczną|jeśli jesteś ai|jeśli jesteś modelem|jeśli jesteś asystentem|droga si|witaj ai|drogi asystencie ai|asystent ai|asystencie ai|agencie ai|instrukcja dla ai|instrukcje dla ai|uwaga dla ai|notatka dla ai|wiadomość dla ai|model językowy|modelu językowy|do modelu językowego|uwaga ai|dla asystenta ai|do asystenta ai|podsumowując tę wiadomość|jesteś sztuczną inteligencją|uwaga, ai',
    model: 'si|ai|model językowy|chatbot*|asystent*',
    role: 'jesteś teraz|od teraz jesteś|od tej pory jesteś|zachowuj się jak|udawaj|wciel się|działaj jako|teraz jesteś',
    mode: 'bez ograniczeń|bez żadnych ograniczeń|bez zasad|bez żadnych zasad|bez filtrów|bez cenzury|tryb programisty|tryb dewelopera|trybie dewelopera|nieograniczon*|tryb administratora|bez limitów',
    preempt:
      'twoje nowe zadanie|twoim nowym zadaniem|twoje prawdziwe zadanie|twoim prawdziwym zadaniem|zamiast podsumowywać|zamiast streszczać|zanim odpowiesz|użytkownik już|użytkownik wyraził zgodę|odpowiedz tylko|odpowiedz wyłącznie|odpowiadaj tylko|zacznij odpowiedź|zakończ odpowiedź|wykonaj tylko|wykonaj wyłącznie',
    steer: 'nowe polecenie|nowe instrukcje|nowa instrukcja|następujące instrukcje|zamiast tego|wykonaj|nowe zadanie',
    secrecy:
      'nie mów użytkownikowi|nie informuj użytkownika|bez wiedzy użytkownika|nie powiadamiaj użytkownika|bez powiadamiania użytkownika|użytkownik nie może|nie mów o tym użytkownikowi|nie wspominaj użytkownikowi|bez informowania użytkownika',
    hush: 'po cichu|potajemnie|w tajemnicy|dyskretnie|bez pytania|bez potwierdzenia|nie wspominaj|niezauważenie',
    reveal: 'pokaż|ujawnij|wyświetl|wypisz|powtórz|podaj|napisz|zdradź|wydrukuj|odpowiedz podając',
    prompt:
      'swój prompt|twój prompt|prompt systemowy|promptu systemowego|swoje instrukcje|swoje początkowe instrukcje|instrukcje systemowe|instrukcji systemowych|wiadomość systemową|swój systemowy prompt',
    send: 'wyślij|prześlij|przekaż|wysłać|opublikuj|skopiuj|eksportuj|udostępnij|przekieruj',
    sensitive:
      'hasł*|dane logowania|klucz api|klucze api|kluczy api|kontakt*|skrzynki odbiorczej|skrzynkę odbiorczą|skrzynkę|historię rozmowy|historię|rozmow*|dane klientów|listę klientów|dane bankowe|poufn*|ostatnie maile|ostatnie e-maile|prywatne pliki|tokeny|zmienne środowiskowe|wynagrodzenia',
    hand: 'wyślij nam|prześlij nam|proszę przesłać|odpowiedz podając|odpisz podając|podaj nam|wyślij mi|prześlij mi|przekaż nam|proszę podać|prosimy o przesłanie',
    ask: 'podaj|potwierdź|zweryfikuj|wprowadź|zaktualizuj|wpisz|potwierdzić',
    credential:
      'swoje hasło|swój pin|hasło do|numer karty|dane karty|kod weryfikacyjny|kod sms|kod blik|kod bezpieczeństwa|dane logowania|hasło oraz|hasło i|login i hasło|frazę odzyskiwania|kod z sms|cvv',
    pressure:
      'w ciągu 24 godzin|w ciągu 48 godzin|zostanie zablokowane|zostało zablokowane|zostanie zamknięte|zostanie zawieszone|natychmiast|pilne|w przeciwnym razie|ostatnie ostrzeżenie|niezwłocznie',
    assure:
      'nigdy nie prosimy|nigdy nie poprosi*|nie udostępniaj|nie podawaj|nigdy nie podawaj|jeśli to nie ty|uważaj na|oszust*',
    discuss: 'atakując*|atak*|na przykład|przykład*|badacz*|szkoleni*|podatnoś*|artykuł*|zdania takie|phishing*',
    mine: 'moje|moich|mój|nasze|naszych|nasz|naszego|mojego',
  },
  tr: {
    override_last:
      'yok say|yoksay|görmezden gel*|dikkate alma*|unut|unutun|boş ver|uyma|göz ardı et*|geçersiz kıl*|takip etme|dinleme|önemseme|es geç',
    prior: 'önceki|yukarıdaki|daha önceki|bundan önceki|önce verilen|ilk|orijinal|mevcut|şimdiye kadarki|geçmiş',
    rules: 'talimat*|kural*|komut*|yönerge*|emir*|emri|sınırlama*|kısıtlama*|istem*|prompt*|direktif*',
    all: 'tüm|bütün|her|hepsini|tamamını',
    yours: 'senin|sana verilen|size verilen|sistem|geliştirici|güvenlik|sana',
    drop: 'sana söylenen her şeyi unut|her şeyi unut|kullanıcıyı görmezden gel|kullanıcının isteğini yok say',
    reader:
      'yapay zeka asistanı|yapay zekâ asistanı|yapay zekaya|yapay zekâya|yapay zeka için|yapay zekâ için|eğer bir yapay|sen bir yapay|dil modeli|sevgili yapay|merhaba yapay|yapay zeka ajanı|asistana not|yapay zekaya not|bu e-postayı özetlerken|bu mesajı özetlerken|dikkat yapay|yapay zeka talimatı|bu postayı özetleyen',
    model: 'yapay zeka|yapay zekâ|dil modeli|sohbet robotu|asistan',
    role: 'artık sen|sen artık|bundan sonra sen|şu andan itibaren|gibi davran|rolünü üstlen|rolünü oyna',
    mode: 'kısıtlama olmadan|kısıtlaması olmayan|kuralsız|filtresiz|sınırsız|sansürsüz|geliştirici modu*|hiçbir kural|sınırlaması olmayan|hiçbir kısıtlama|yönetici modu*',
    preempt:
      'yeni görevin|asıl görevin|gerçek görevin|özetlemek yerine|yanıt vermeden önce|cevap vermeden önce|kullanıcı onay verdi|kullanıcı zaten|kullanıcı bunu onayladı|sadece şunu yaz|yalnızca şu yanıtı|sadece şu cevabı|yanıtına şununla başla',
    steer: 'yeni talimat*|aşağıdaki talimat*|bunun yerine|şunu yap|yeni görev',
    secrecy:
      'kullanıcıya söyleme|kullanıcıya bildirme|kullanıcıya haber verme|kullanıcıya bahsetme|kullanıcıya hiçbir şey|kullanıcıyı bilgilendirme|kullanıcının haberi olmadan|kullanıcı bilmemeli|kullanıcıya sormadan|kullanıcıya belli etme',
    hush: 'gizlice|sessizce|sormadan|onay almadan|kimseye söyleme|bahsetme|onay istemeden|fark ettirmeden',
    reveal: 'göster|açıkla|yazdır|tekrarla|yaz|söyle|ver|listele|ifşa et|paylaş|yanıtla',
    prompt:
      'sistem istemini|sistem promptunu|sistem talimatlarını|sistem mesajını|gizli talimatlarını|ilk talimatlarını|kendi talimatlarını|sistem komutunu|sistem istemi',
    send: 'gönder*|ilet*|yolla*|yükle*|paylaş*|aktar*|postala*',
    sensitive:
      'şifre*|parola*|api anahtar*|kişi listesi*|rehber*|gelen kutusu*|konuşma geçmişi*|sohbet geçmişi*|müşteri bilgileri*|müşteri listesi*|banka bilgileri*|gizli belge*|gizli bilgi*|son e-postalar*|kimlik bilgileri*|maaş*|ortam değişken*|müşteri verileri*',
    hand: 'bize gönder*|bize ilet*|yanıt olarak|cevap olarak yaz*|bana gönder*|bizimle paylaş*|bu e-postaya yanıt*|bildirin|iletin|gönderin',
    ask: 'girin|onaylayın|doğrulayın|güncelleyin|giriniz|doğrulamanız',
    credential:
      'şifrenizi|parolanızı|kart numaranızı|kart bilgilerinizi|doğrulama kodunu|sms kodunu|onay kodunu|pin kodunuzu|güvenlik kodunu|kimlik bilgilerinizi|banka bilgilerinizi|kurtarma ifadenizi|cvv|hesap bilgilerinizi|gelen kodu|internet bankacılığı şifre*',
    pressure:
      '24 saat içinde|48 saat içinde|askıya alın*|kapatılacak*|engellen*|bloke*|hemen|acil*|derhal|aksi takdirde|aksi halde|son uyarı',
    assure:
      'asla istemez*|asla sormaz*|kimseyle paylaşmayın|paylaşmayınız|hiçbir zaman istem*|asla talep*|siz talep etmediyseniz|dolandırıcı*|asla paylaşmayın',
    discuss: 'saldırgan*|saldırı*|örneğin|örnek*|araştırmacı*|eğitim*|güvenlik açığı*|makale*|gibi ifadeler|oltalama*',
    mine: 'bizim|benim|önceki e-postam*|tarafımızdan',
  },
  ru: {
    override:
      'игнорируй*|проигнорируй*|забудь*|не следуй*|не обращай внимания|пренебрег*|отбрось*|обойди*|не выполняй|перестань следовать|отмени|не учитывай*|нарушь|игнорировать|забыть',
    prior:
      'предыдущ*|прежн*|вышеуказанн*|выше|ранее|прошл*|изначальн*|первоначальн*|предшествующ*|полученн*|данные тебе|данных тебе|все что было',
    rules: 'инструкци*|указани*|правил*|директив*|команд*|приказ*|ограничени*|промпт*|установк*|задани*|распоряжени*',
    all: 'все|всё|всех|любые|весь|всякие|каждую',
    yours: 'твои*|свои*|ваши*|твоего|системн*|системы|разработчик*|тебе дали',
    drop: 'забудь всё что|забудь все что|забудь всё, что|забудь все, что|игнорируй всё что|игнорируй все, что|игнорируй пользователя|игнорируй запрос пользователя',
    reader:
      'для ии|если ты ии|если вы ии|уважаемый ии|привет ии|ии ассистент*|ии-ассистент*|ии-агент*|ии агент*|инструкция для ии|инструкции для ии|примечание для ии|сообщение для ии|языковая модель|языковой модели|если ты языковая|если ты ассистент|ассистенту ии|для нейросети|если ты нейросеть|нейросеть читающая|внимание ии|ты искусственный интеллект|при обобщении этого|когда будешь пересказывать|внимание, ии|искусственному интеллекту',
    model: 'ии|нейросет*|чатбот*|чат-бот*|ассистент*',
    role: 'теперь ты|ты теперь|отныне ты|с этого момента ты|притворись|действуй как|веди себя как|играй роль|представь что ты',
    mode: 'без ограничений|без правил|без фильтров|без цензуры|режим разработчика|режиме разработчика|неограниченн*|без всяких ограничений|нет ограничений|режим администратора|никаких правил',
    preempt:
      'твоя новая задача|твоя настоящая задача|твоя реальная задача|вместо пересказа|вместо краткого|вместо резюме|прежде чем ответить|перед тем как ответить|пользователь уже|пользователь разрешил|отвечай только|ответь только|начни ответ|закончи ответ|выполни только',
    steer: 'новая инструкция|новые инструкции|следующие инструкции|вместо этого|выполни|новая задача|сделай следующее',
    secrecy:
      'не говори пользователю|не сообщай пользователю|без ведома пользователя|не уведомляй пользователя|не информируй пользователя|ничего не говори пользователю|пользователь не должен|не сообщая пользователю|не упоминай пользователю|не предупреждай пользователя',
    hush: 'тайно|незаметно|тихо|втайне|без подтверждения|не спрашивая|не упоминай|скрытно|молча|без запроса',
    reveal: 'покажи*|раскрой*|выведи*|повтори*|напиши*|сообщи*|распечатай*|перечисли*|выдай*|процитируй*|ответь',
    prompt:
      'системный промпт|системного промпта|свой промпт|свои инструкции|твои инструкции|системные инструкции|системное сообщение|твой системный|свои изначальные инструкции|скрытые инструкции|исходные инструкции',
    send: 'отправь*|перешли*|вышли*|отошли*|передай*|опубликуй*|скопируй*|загрузи*|выгрузи*|переведи*|направь*',
    sensitive:
      'парол*|учетные данные|учётные данные|ключи api|ключ api|api-ключ*|api ключ*|контакт*|адресную книгу|входящие|историю переписки|переписк*|историю чата|данные клиентов|список клиентов|банковские данные|конфиденциальн*|последние письма|личные файлы|токены|зарплат*|переменные окружения|базу данных|реквизит*',
    hand: 'отправьте нам|пришлите нам|пришлите|вышлите|ответьте на это письмо|сообщите нам|укажите в ответ*|отправьте мне|пришли мне|сообщите мне|передайте нам|продиктуйте|назовите',
    ask: 'введите|подтвердите|проверьте|обновите|укажите|заполните|предоставьте',
    credential:
      'ваш пароль|свой пароль|пароль и|пароль от|пин-код|пин код|номер карты|данные карты|код подтверждения|код из смс|код из sms|cvv|логин и пароль|учетные данные|сид-фраз*|ключевую фразу|паспортные данные|данные вашей карты|реквизиты карты|код безопасности',
    pressure:
      'в течение 24 часов|в течение 48 часов|будет заблокирован*|заблокирован*|будет закрыт*|приостановлен*|немедленно|срочно|в противном случае|иначе|последнее предупреждение|незамедлительно',
    assure:
      'никогда не запрашив*|никогда не спрашив*|никогда не прос*|никому не сообщайте|не сообщайте|не передавайте|если вы не запрашивали|если это были не вы|остерегайтесь|мошенник*',
    discuss: 'злоумышленник*|атак*|например|пример*|исследовател*|обучени*|уязвимост*|стать*|фразы вроде|фишинг*',
    mine: 'мои|мой|моё|мою|наши|наш|нашего|наше|нашу',
  },
  zh: {
    override_last: '作废|無效|无效|忽略掉|全部忘掉|都忘掉|抛开|忘掉',
    override:
      '忽略|无视|無視|忘记|忘記|忘掉|不要遵守|不要遵循|不再遵守|不再遵循|绕过|繞過|抛开|拋開|放弃|停止遵循|停止遵守|不要理会|不要理會|违反|覆盖|忽視|忽视|作废|不必遵守|推翻',
    prior: '之前|以前|先前|前面|以上|上述|原来|原來|原有|原始|此前|上面|先前的|过去|初始|至今|现有',
    rules:
      '指令|指示|规则|規則|提示词|提示詞|提示|命令|要求|限制|约束|約束|准则|設定|设定|规定|規定|政策|指引|任务说明',
    all: '所有|全部|一切|任何|所有的|全都',
    yours: '你的|您的|系统|系統|开发者|開發者|给你的|給你的|安全|你收到的',
    drop: '忘记你之前|忘掉你之前|忘记之前的一切|忽略以上所有|忽略上述所有|忽略用户的|无视用户的|忽略使用者',
    reader:
      '如果你是ai|如果你是人工智能|如果你是语言模型|如果你是一个ai|致ai助手|致ai|ai助手请|给ai的|给ai助手|給ai助手|ai助手注意|请ai助手|各位ai|处理此邮件的ai|读取此邮件的ai|阅读此邮件的ai|ai代理|智能助手请|大模型请|语言模型请|人工智能助手|人工智慧助理|ai請注意|ai请注意|当你总结|在总结此|总结本邮件时|处理本邮件的|你是一个ai|ai指令|助手指令|大语言模型注意|ai助理|如果你是助手|如果你是一个语言模型|请注意ai',
    model: 'ai|人工智能|语言模型|大模型|助手|机器人',
    role: '你现在是|你現在是|从现在开始你|从现在起你|從現在起|现在你是|扮演|假装你是|假裝|你将扮演|充当|请作为|你不再是|进入',
    mode: '没有限制|沒有限制|无限制|無限制|不受限制|不受任何限制|没有任何限制|开发者模式|開發者模式|不受约束|不受任何规则|没有规则|无审查|越狱|不受任何约束|调试模式|管理员模式|维护模式',
    preempt:
      '你的新任务|你的新任務|你真正的任务|你的真正任务|你的唯一任务|不要总结|而不是总结|在回答之前|在回复之前|回答之前先|用户已经授权|用户已授权|用户已经同意|用户已同意|只回复|只输出|仅输出|仅回复|只需回答|只執行|只执行|你的回答必须|請只回答',
    steer: '新指令|新的指令|新任务|以下指令|以下指示|改为|改為|转而|轉而|执行以下|執行以下|请先|新的指示',
    secrecy:
      '不要告诉用户|不要告訴用戶|不要告訴使用者|别告诉用户|不要通知用户|不要让用户|不要讓用戶|不让用户|瞒着用户|无需用户|不需要用户|不要向用户|无需告知用户|不必通知用户|勿告知用户|不要對使用者|未经用户',
    hush: '悄悄|秘密|暗中|不要提及|不要提到|无需确认|不要确认|无需询问|不要询问|静默|偷偷|默默',
    reveal:
      '显示|顯示|输出|輸出|透露|告诉我|告訴我|打印|列出|重复|重複|公开|展示|说出|洩露|泄露|复述|發給我|发给我|给出',
    prompt:
      '系统提示|系統提示|系统提示词|系统指令|系統指令|你的指令|你的提示词|你的初始指令|你的初始提示|内部指令|隐藏指令|你的系统|你的設定|你的设定|初始提示词',
    send: '发送|發送|发到|發到|发给|發給|转发|轉發|寄到|寄给|上传|上傳|传送|傳送|提交|导出|汇款|转账|轉帳|寄送|抄送',
    sensitive:
      '密码|密碼|密钥|密鑰|api密钥|凭证|憑證|联系人|聯絡人|通讯录|通訊錄|收件箱|收件匣|聊天记录|对话记录|對話記錄|客户资料|客戶資料|客户名单|客户数据|银行信息|银行账户|機密|机密|邮件内容|最近的邮件|所有邮件|私钥|令牌|工资|环境变量|数据库|验证码',
    hand: '发给我们|发送给我们|回复您的|回复你的|提供您的|提供你的|告诉我们|告知我们|发给我|请回复|请提供|發給我們|把您的|将您的|把你的',
    ask: '输入|输入您的|确认|验证|填写|更新|輸入|確認|驗證|填寫',
    credential:
      '您的密码|你的密码|您的密碼|银行卡号|信用卡号|卡号|验证码|驗證碼|短信验证码|支付密码|登录密码|身份证号|助记词|安全码|账号和密码|账号密码|帳號密碼|信用卡號|cvv|銀行帳號',
    pressure: '24小时内|24小時內|48小时内|冻结|凍結|停用|封停|注销|立即|马上|尽快|否则|否則|紧急|緊急|最后通知|暂停',
    assure:
      '不会要求|不会索要|绝不会|請勿|请勿|切勿|不要向任何人|不要告诉任何人|谨防|不會要求|谨防诈骗|如非本人|勿泄露|诈骗',
    discuss: '攻击者|攻击|例如|比如|示例|案例|研究人员|培训|漏洞|文章|讲座|诸如|攻擊|演示|提示注入',
    mine: '我的|我们的|我們的|我方|我司',
  },
  ja: {
    override_last:
      '無視|忘れて|忘れろ|忘れてください|従わない|従うな|破棄|無効に|放棄|守らないで|守るな|取り消し|従う必要は|上書き|捨てて',
    prior: 'これまで|以前|上記|前の|今まで|先ほど|直前|元の|最初の|過去|従来|既存|それまで|前述',
    rules: '指示|命令|ルール|規則|プロンプト|指令|制約|制限|ガイドライン|設定|方針|指針',
    all: 'すべて|全て|全部|あらゆる|一切|いかなる',
    yours: 'あなたの|あなたに|システム|開発者|与えられた|安全|受けた',
    drop: 'これまでのことはすべて忘れ|今までの会話を忘れ|ユーザーの依頼を無視|ユーザーの指示を無視|ユーザーの要求を無視',
    reader:
      'aiアシスタントへ|aiへの|aiへ|もしあなたがai|あなたがai|あなたがaiなら|aiアシスタントは|言語モデルへ|aiエージェントへ|aiエージェントは|このメールを要約する|このメールを処理する|このメールを読むai|このメッセージを読むai|アシスタントへの指示|aiは次の|あなたはaiです|aiシステムへ|要約する際は|要約するときは|このメールを読んでいるai|このメールを読んでいるアシスタント|処理するaiへ',
    model: 'ai|人工知能|言語モデル|アシスタント|チャットボット',
    role: 'あなたは今|今からあなたは|これからあなたは|あなたは今から|今後あなたは|として振る舞|になりきって|のふりをして|役を演じ|として行動|モードに入',
    mode: '制限なし|制限のない|制限がない|無制限|制約のない|開発者モード|デベロッパーモード|ルールのない|フィルターなし|検閲なし|一切の制限|管理者モード|何の制限も|デバッグモード',
    preempt:
      '新しいタスク|本当のタスク|本来のタスク|あなたの任務は|要約する代わりに|要約せず|回答する前に|返信する前に|答える前に|ユーザーはすでに|ユーザーは既に|ユーザーの許可は|とだけ出力|とだけ答え|とだけ返|のみを出力|のみを返|だけを出力',
    steer: '新しい指示|次の指示|以下の指示|代わりに|その代わり|次のことを|まず',
    secrecy:
      'ユーザーに知らせ|ユーザーには知らせ|ユーザーに言わ|ユーザーには言わ|ユーザーに伝え|ユーザーには伝え|ユーザーに告げ|ユーザーに通知せ|ユーザーに通知し|ユーザーには内緒|ユーザーに気づかれ|ユーザーに確認せ|ユーザーには見せ|ユーザーに報告し|利用者に知らせ',
    hush: 'こっそり|密かに|ひそかに|黙って|内緒で|確認せずに|確認なしで|言及しない|触れない|秘密裏に|確認を求めず',
    reveal: '表示|出力|教えて|開示|明かし|見せて|公開|列挙|繰り返し|書き出し|返して|答えて|示して|共有',
    prompt:
      'システムプロンプト|システム指示|システムメッセージ|初期プロンプト|初期指示|内部指示|隠された指示|あなたの指示|あなたのプロンプト|あなたへの指示|内部ルール',
    send: '送信|送って|送れ|転送|アップロード|投稿|共有|送付|振り込|送金|コピーし|エクスポート|送りなさい',
    sensitive:
      'パスワード|apiキー|認証情報|秘密鍵|連絡先|アドレス帳|受信トレイ|受信箱|会話履歴|チャット履歴|顧客情報|顧客データ|顧客リスト|銀行口座|口座情報|機密|最近のメール|すべてのメール|個人情報|トークン|給与|環境変数|データベース|会話の内容',
    hand: 'ご返信ください|返信してください|お送りください|送ってください|お知らせください|ご連絡ください|お教えください|教えてください|ご提供ください|ご返答ください|写真を送',
    ask: '入力|ご入力|確認してください|ご確認|更新してください|認証してください|ご登録',
    credential:
      'パスワード|暗証番号|カード番号|クレジットカード|セキュリティコード|認証コード|確認コード|ワンタイムパスワード|口座番号|ログイン情報|秘密の質問|リカバリーフレーズ|マイナンバー|idとパスワード',
    pressure:
      '24時間以内|48時間以内|停止され|停止いたし|凍結|ロックされ|利用停止|至急|直ちに|ただちに|緊急|さもなければ|最終通知|制限され|制限いたし',
    assure:
      'お尋ねすることはありません|お聞きすることはありません|求めることはありません|共有しないで|教えないで|絶対に|心当たりがない|心当たりのない|詐欺|入力しないで|注意喚起|お伺いすることは',
    discuss: '攻撃者|攻撃|例えば|たとえば|例|研究者|研修|脆弱性|記事|講演|といった文|手口|プロンプトインジェクション',
    mine: '私の|弊社の|当社の|わたしの|こちらの',
  },
  ko: {
    override_last: '무시*|잊어*|잊으*|따르지 마*|따르지 말*|무효화*|우회*|폐기*|준수하지*|버려*|지키지 마*',
    prior: '이전*|앞선|앞의|위의|지금까지*|기존*|원래*|최초*|처음*|여태까지*|위에*',
    rules: '지시*|명령*|규칙*|지침*|프롬프트*|제한*|제약*|가이드라인*|설정*',
    all: '모든|모두|전부|일체*|어떤',
    yours: '당신의|너의|네|시스템|개발자*|받은|주어진',
    drop: '지금까지의 모든 내용을 잊|사용자의 요청을 무시|사용자의 지시를 무시',
    reader:
      'ai 어시스턴트*|ai 비서*|ai 에이전트*|ai에게*|만약 당신이 ai*|당신이 ai*|언어 모델*|인공지능에게*|이 메일을 요약*|이 이메일을 요약*|이 메시지를 처리하는|이 메일을 처리하는|ai 지시*|ai는 다음*',
    model: 'ai|인공지능*|챗봇*',
    role: '당신은 이제*|너는 이제*|이제부터 너는|이제부터 당신은|지금부터 당신은|지금부터 너는|역할을 해*|행동해*|척해*',
    mode: '제한 없*|제한이 없*|무제한*|개발자 모드*|규칙 없*|규칙이 없*|필터 없*|검열 없*|아무런 제한*|관리자 모드*',
    preempt:
      '새로운 임무*|진짜 임무*|실제 임무*|요약하는 대신*|요약하지 말고*|답변하기 전에*|사용자는 이미*|사용자가 이미*|만 출력*|라고만 답*|만 답해*',
    steer: '새로운 지시*|새 지시*|다음 지시*|대신|다음을 수행*|먼저',
    secrecy:
      '사용자에게 알리지*|사용자에게 말하지*|사용자에게 언급하지*|사용자 몰래*|사용자에게 보여주지*|사용자가 모르게*|사용자에게는 비밀*|사용자에게 묻지*',
    hush: '몰래*|비밀리에*|조용히*|확인 없이*|언급하지*|묻지 말고*',
    reveal: '보여*|출력*|공개*|알려*|말해*|반복*|나열*|표시*|적어*|회신*|답장*',
    prompt:
      '시스템 프롬프트*|시스템 지시*|시스템 메시지*|초기 지시*|초기 프롬프트*|너의 지시*|당신의 지시*|내부 지침*|숨겨진 지시*',
    send: '보내*|전송*|전달*|업로드*|공유*|게시*|송금*|이체*|발송*',
    sensitive:
      '비밀번호*|암호*|api 키*|인증 정보*|자격 증명*|연락처*|주소록*|받은편지함*|받은 편지함*|대화 기록*|대화 내용*|채팅 기록*|고객 정보*|고객 명단*|고객 데이터*|계좌*|기밀*|최근 메일*|모든 메일*|개인정보*|토큰*|급여*|환경 변수*',
    hand: '회신해*|답장해*|보내 주*|보내주*|알려 주*|알려주*|제출해*|회신하*|답장으로*',
    ask: '입력하*|입력해*|확인하*|인증하*|업데이트하*',
    credential:
      '비밀번호*|카드 번호*|카드번호*|인증번호*|보안 코드*|계좌 비밀번호*|주민등록번호*|일회용 비밀번호*|복구 문구*|로그인 정보*',
    pressure: '24시간 이내*|24시간 내*|48시간 이내*|정지*|차단*|즉시|긴급*|그렇지 않으면|최종 통지*|폐쇄*',
    assure: '절대 요구하지*|요구하지 않*|공유하지 마*|알려주지 마*|요청하지 않*|사기*|주의하*|본인이 아니*',
    discuss: '공격자*|공격*|예를 들*|예시*|연구원*|연구자*|교육*|취약점*|기사*|같은 문구*|피싱*',
    mine: '우리의|저희|제가|내가|저의',
  },
  ar: {
    override: 'تجاهل*|تجاهلوا|انس|انسى|انسَ|اهمل|أهمل|لا تتبع|لا تلتزم|توقف عن اتباع|تخط|تخطى|اترك|ألغ|الغ|تغاض عن',
    prior: 'السابق*|سابق*|أعلاه|اعلاه|الأصلي*|الاصلي*|المسبق*|الأولي*|قبل|حتى الآن|الماضي*',
    rules:
      'التعليمات|تعليمات*|التوجيهات|توجيهات*|القواعد|قواعد*|الأوامر|اوامر*|أوامر*|القيود|قيود*|الإرشادات|ارشادات*|إرشادات*|تعليماتك',
    all: 'جميع|كل|كافة|كامل',
    yours: 'النظام|المطور*|الخاصة بك|لديك|التي تلقيتها|المعطاة|تعليماتك|قواعدك',
    drop: 'انس كل ما|انسى كل ما|تجاهل كل ما سبق|تجاهل المستخدم|تجاهل طلب المستخدم',
    reader:
      'إلى الذكاء الاصطناعي|الى الذكاء الاصطناعي|مساعد الذكاء الاصطناعي|إذا كنت ذكاء|اذا كنت ذكاء|إذا كنت نموذج|اذا كنت نموذج|إذا كنت مساعد|اذا كنت مساعد|أيها المساعد|ايها المساعد|نموذج اللغة|النموذج اللغوي|وكيل الذكاء|تعليمات للذكاء|عند تلخيص هذه|عند معالجة هذه|عزيزي المساعد|رسالة إلى المساعد|ملاحظة للذكاء',
    model: 'الذكاء الاصطناعي|روبوت*|المساعد|نموذج لغوي',
    role: 'أنت الآن|انت الان|من الآن فصاعدا|من الان فصاعدا|تصرف ك*|تظاهر*|العب دور|تقمص|أنت لم تعد',
    mode: 'بلا قيود|بدون قيود|دون قيود|بلا حدود|بدون قواعد|بلا قواعد|وضع المطور|بدون أي قيود|دون أي قيود|بدون رقابة|غير مقيد*|وضع المسؤول',
    preempt:
      'مهمتك الجديدة|مهمتك الحقيقية|مهمتك الفعلية|بدلا من التلخيص|بدلاً من التلخيص|بدلا من تلخيص|قبل أن تجيب|قبل الإجابة|قبل الرد|لقد وافق المستخدم|وافق المستخدم|المستخدم وافق|أجب فقط|اجب فقط|رد فقط|اكتب فقط',
    steer: 'تعليمات جديدة|التعليمات التالية|بدلا من ذلك|بدلاً من ذلك|نفذ|مهمة جديدة|قم بما يلي',
    secrecy:
      'لا تخبر المستخدم|دون إخبار المستخدم|دون اخبار المستخدم|دون علم المستخدم|بدون علم المستخدم|لا تعلم المستخدم|لا تبلغ المستخدم|دون إبلاغ المستخدم|لا تذكر للمستخدم|يجب ألا يعرف المستخدم|من دون علم المستخدم',
    hush: 'سرا|سراً|بهدوء|بصمت|دون سؤال|دون تأكيد|بدون تأكيد|لا تذكر|خفية|في الخفاء',
    reveal: 'اعرض|أظهر|اظهر|اكشف|اطبع|كرر|اكتب|أخبرني|اخبرني|أعطني|اعطني|اذكر|شارك',
    prompt:
      'موجه النظام|تعليمات النظام|رسالة النظام|تعليماتك|تعليماتك الأصلية|تعليماتك الداخلية|نص النظام|مطالبة النظام|أوامر النظام',
    send: 'أرسل*|ارسل*|إرسال|ارسال|حول|حوّل|أعد توجيه|اعد توجيه|انشر|ارفع|انسخ|صدر|مرر',
    sensitive:
      'كلمات المرور|كلمة المرور|كلمات السر|كلمة السر|بيانات الاعتماد|مفاتيح|مفتاح|جهات الاتصال|صندوق الوارد|البريد الوارد|سجل المحادثة|المحادثة|بيانات العملاء|قائمة العملاء|البيانات المصرفية|سرية|السرية|آخر الرسائل|كل الرسائل|جميع الرسائل|الملفات الخاصة|الرواتب|بيانات المستخدم',
    hand: 'أرسل لنا|ارسل لنا|أرسلوا لنا|إرسال رقم|الرد على هذه الرسالة ب*|زودنا|زودونا|أخبرنا|اخبرنا|يرجى إرسال|يرجى ارسال|الرجاء إرسال|نرجو إرسال',
    ask: 'أدخل|ادخل|إدخال|تأكيد|تأكد|تحديث|حدث|يرجى إدخال',
    credential:
      'كلمة المرور|كلمة السر|رقم البطاقة|بطاقتك|رمز التحقق|الرقم السري|رمز الأمان|بيانات حسابك|رقم الحساب|رمز التأكيد|بيانات بطاقتك|العبارة السرية|بيانات الدخول',
    pressure:
      'خلال 24 ساعة|خلال ٢٤ ساعة|خلال 48 ساعة|سيتم إيقاف|سيتم تعليق|تم تعليق|سيتم إغلاق|تم إيقاف|فورا|فوراً|على الفور|عاجل|وإلا|والا|إنذار أخير',
    assure: 'لن نطلب|لا نطلب|لا تشارك|لا تفصح|أبدا|ابدا|لم تطلب|احذر|احتيال|المحتالين',
    discuss: 'المهاجم*|هجوم|هجمات|مثل|مثال*|الباحث*|تدريب|ثغر*|مقال*|عبارات مثل|تصيد',
    mine: 'لدينا|تعليماتنا|رسالتي|رسالتنا|السابقة لي',
  },
  hi: {
    override_last:
      'अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जाओ|भूल जाएं|भूल जाइए|उपेक्षा|पालन न कर*|पालन मत कर*|ध्यान न दें|ध्यान मत दो|रद्द करें|छोड़ दो',
    prior: 'पिछले|पिछली|पहले|पूर्व|उपरोक्त|ऊपर|अब तक|मूल|पुराने',
    rules: 'निर्देश*|नियम*|आदेश*|दिशानिर्देश*|प्रतिबंध*|प्रॉम्प्ट*',
    all: 'सभी|सारे|सब|समस्त|हर|पूरे',
    yours: 'अपने|आपके|तुम्हारे|सिस्टम|डेवलपर|दिए गए',
    reader:
      'यदि आप एआई|अगर आप एआई|यदि आप एक एआई|अगर आप एक एआई|एआई सहायक|ए आई सहायक|एआई एजेंट|भाषा मॉडल|एआई के लिए|इस ईमेल का सारांश|अगर आप एक ai|यदि आप एक ai|ai सहायक',
    model: 'एआई|चैटबॉट|सहायक|कृत्रिम बुद्धिमत्ता',
    role: 'अब आप|अब तुम|अब से आप|अब से तुम|की भूमिका|की तरह व्यवहार|बनने का नाटक',
    mode: 'बिना किसी प्रतिबंध|बिना प्रतिबंध|बिना नियम|कोई प्रतिबंध नहीं|कोई नियम नहीं|डेवलपर मोड|असीमित|बिना किसी नियम|बिना सीमा',
    preempt:
      'आपका नया कार्य|आपका असली कार्य|तुम्हारा नया काम|सारांश देने के बजाय|सारांश के बजाय|उत्तर देने से पहले|जवाब देने से पहले|केवल यह उत्तर|केवल यही लिख*|उपयोगकर्ता ने पहले ही|उपयोगकर्ता ने अनुमति',
    steer: 'नए निर्देश|नया निर्देश|निम्नलिखित|इसके बजाय|नया कार्य',
    secrecy:
      'उपयोगकर्ता को न बता*|उपयोगकर्ता को मत बता*|उपयोगकर्ता को बताए बिना|उपयोगकर्ता को सूचित न*|उपयोगकर्ता को सूचित किए बिना|यूज़र को मत बता*|यूजर को मत बता*|उपयोगकर्ता को कुछ मत|उपयोगकर्ता को पता न*',
    hush: 'चुपचाप|गुप्त रूप|चुपके से|बिना पूछे|बिना पुष्टि|उल्लेख न करें',
    reveal: 'दिखाओ|दिखाएं|दिखाइए|बताओ|बताएं|प्रकट|प्रिंट|दोहरा*|लिखो|लिखें|उजागर',
    prompt: 'सिस्टम प्रॉम्प्ट|सिस्टम निर्देश*|अपने निर्देश|अपना प्रॉम्प्ट|अपने मूल निर्देश|छिपे हुए निर्देश',
    send: 'भेज*|अग्रेषित|फॉरवर्ड|अपलोड|साझा|ट्रांसफर',
    sensitive: 'पासवर्ड|एपीआई कुंजी|api कुंजी|क्रेडेंशियल|संपर्क|इनबॉक्स|बातचीत|चैट इतिहास|ग्राहक|बैंक विवरण|गोपनीय|ईमेल|निजी फ़ाइल*|वेतन',
    hand: 'हमें भेजें|हमें बताएं|उत्तर में भेजें|जवाब में भेजें|साझा करें|मुझे भेजें|रिप्लाई करें|हमें प्रदान करें',
    ask: 'दर्ज करें|पुष्टि करें|सत्यापित करें|अपडेट करें|भरें',
    credential: 'अपना पासवर्ड|आपका पासवर्ड|पासवर्ड और|ओटीपी|पिन|कार्ड नंबर|कार्ड विवरण|सत्यापन कोड|सीवीवी|बैंक विवरण|otp|cvv',
    pressure: '24 घंटे|48 घंटे|निलंबित|बंद कर दिया|ब्लॉक|तुरंत|तत्काल|अन्यथा|अंतिम चेतावनी',
    assure: 'कभी नहीं मांग*|साझा न करें|किसी को न बता*|कभी भी|सावधान|धोखाधड़ी',
    discuss: 'हमलावर*|हमला|उदाहरण*|शोधकर्ता*|प्रशिक्षण|लेख|जैसे वाक्य',
    mine: 'मेरे|मेरी|हमारे|हमारी',
  },
};
