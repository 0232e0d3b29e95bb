import type { Terms } from './concepts.ts';

export const tr: Terms = {
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
};
