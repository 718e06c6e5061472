/// The challenge that a client signs: unpredictable, and text because it is part of JSON.
enum Nonce {
  static func make() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var random = SystemRandomNumberGenerator()
    // Each draw is a system call: ten characters of six bits from each of two draws, and two more
    // from the third.
    let draws = (0..<3).map { _ in random.next() as UInt64 }
    let text = (0..<22).map { alphabet[Int(draws[$0 / 10] >> UInt64($0 % 10 * 6) & 63)] }
    return String(decoding: text, as: UTF8.self)
  }
}
