/// Keyboards of other scripts.
extension KeyPress {
  /// The key in the same place of a Latin keyboard; nil for a key that the usual layouts of other scripts don't have.
  ///
  /// A terminal reports the letter, not the key, so the letter has to tell the layout.
  var onLatinKeyboard: KeyPress? {
    guard case .character(let letter) = key, let latin = Self.latin[letter] else { return nil }
    return KeyPress(.character(latin), modifiers)
  }

  /// The Latin characters by those of the Russian, Ukrainian, Greek, Hebrew, Arabic and Korean layouts. A character of
  /// ASCII is none of them, since it may come from a Latin keyboard.
  private static let latin: [Character: Character] = {
    let rows = [
      ("йцукенгшщзхъфывапролджэячсмитьбю", "qwertyuiop[]asdfghjkl;'zxcvbnm,."),
      ("ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ", "QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>"),
      ("іїєІЇЄ", "s]'S}\""),
      ("ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"),
      ("ΕΡΤΥΘΙΟΠΑΣΔΦΓΗΞΚΛΖΧΨΩΒΝΜ", "ERTYUIOPASDFGHJKLZXCVBNM"),
      ("קראטוןםפשדגכעיחלךףזסבהנמצתץ", "ertyuiopasdfghjkl;zxcvbnm,."),
      ("ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوزظ", "qwertyuiop[]asdfghjkl;'zxcvnm,./"),
      ("ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ", "qwertyuiopasdfghjklzxcvbnm"),
      ("ㅃㅉㄸㄲㅆㅒㅖ", "QWERTOP"),
    ]
    var latin: [Character: Character] = [:]
    for (letters, keys) in rows {
      precondition(letters.count == keys.count, letters)
      for (letter, key) in zip(letters, keys) { latin[letter] = key }
    }
    return latin
  }()
}
