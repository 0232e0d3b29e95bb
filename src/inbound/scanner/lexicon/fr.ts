import type { Terms } from './concepts.ts';

export const fr: Terms = {
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
};
