/// A sign that is drawn over the picture as shapes: no font is certain to contain it, and libass draws no coloured
/// glyphs.
package enum SignShape: Hashable, Sendable, CaseIterable {
  /// The reactions of `Screening`, by the same names.
  case like, laugh, wow, sad, applause, love, party, fire, moment

  struct Layer: Hashable, Sendable {
    /// 0xRRGGBB
    var color: UInt32
    /// A drawing of Advanced SubStation Alpha in a square of 100 by 100.
    var path: String
  }

  var layers: [Layer] {
    switch self {
    case .like:
      [
        Layer(
          color: Self.skin,
          path: "m 34 44 l 52 8 b 58 0 70 4 68 16 l 64 36 l 88 36 b 98 36 100 46 95 51 "
            + "b 99 56 98 64 92 67 b 95 73 92 80 86 82 b 87 89 82 94 76 94 l 48 94 l 34 86"),
        Layer(color: 0x3B6FD4, path: "m 4 42 l 28 42 l 28 92 l 4 92"),
      ]
    case .laugh:
      Self.face + [
        Layer(color: Self.dark, path: "m 18 52 l 82 52 b 80 96 20 96 18 52"),
        Layer(
          color: Self.dark,
          path: "m 18 40 l 30 26 l 42 40 l 38 43 l 30 34 l 22 43 "
            + "m 58 40 l 70 26 l 82 40 l 78 43 l 70 34 l 62 43"),
      ]
    case .wow:
      Self.face + [
        Layer(color: Self.dark, path: Self.ellipse(50, 70, 13, 18)),
        Layer(color: Self.dark, path: Self.ellipse(32, 36, 7, 10) + Self.ellipse(68, 36, 7, 10)),
      ]
    case .sad:
      Self.face + [
        Layer(color: Self.dark, path: "m 28 80 b 34 56 66 56 72 80 b 62 68 38 68 28 80"),
        Layer(color: Self.dark, path: Self.ellipse(32, 42, 7, 9) + Self.ellipse(68, 42, 7, 9)),
        Layer(color: 0x4AA8F0, path: "m 70 54 b 82 70 82 82 70 82 b 58 82 58 70 70 54"),
      ]
    case .applause:
      [
        Layer(color: 0xE0A63C, path: Self.hand),
        Layer(color: Self.skin, path: Self.hand(movedBy: 14)),
        Layer(
          color: 0xF4F4F4,
          path: "m 20 4 l 26 2 l 30 20 l 25 21 m 44 0 l 50 0 l 48 16 l 43 16 "
            + "m 2 22 l 6 17 l 18 28 l 14 32"),
      ]
    case .love:
      [
        Layer(
          color: 0x3B82F6,
          path: "m 50 94 b 10 62 0 46 4 28 b 9 6 38 4 50 26 b 62 4 91 6 96 28 b 100 46 90 62 50 94")
      ]
    case .party:
      [
        Layer(color: 0xE8A33D, path: "m 4 96 l 32 34 b 50 40 62 52 66 68"),
        Layer(
          color: 0xE5484D,
          path: "m 48 30 b 44 18 50 8 58 6 l 61 11 b 55 14 52 20 54 28 "
            + "m 84 20 l 92 16 l 96 24 l 88 28"),
        Layer(
          color: 0x3B82F6,
          path: "m 70 52 b 82 46 92 50 96 58 l 91 61 b 86 55 80 54 72 58 "
            + "m 24 14 l 32 10 l 36 18 l 28 22"),
        Layer(
          color: 0x46A758, path: "m 62 38 l 82 36 l 82 42 l 64 44 m 70 4 l 78 4 l 76 12 l 70 12"),
      ]
    case .fire:
      [
        Layer(
          color: 0xF2711C,
          path: "m 52 2 b 60 26 90 36 88 66 b 86 88 70 98 50 98 b 30 98 12 88 12 64 "
            + "b 12 48 22 40 26 28 b 34 34 36 40 36 46 b 48 36 54 20 52 2"),
        Layer(
          color: 0xFFD23F,
          path: "m 52 46 b 56 60 72 66 70 80 b 68 92 60 96 50 96 b 38 96 30 90 30 78 "
            + "b 30 68 38 64 40 56 b 44 60 46 62 46 66 b 50 60 53 54 52 46"),
      ]
    case .moment:
      [
        Layer(
          color: 0xFFCB4C, path: "m 50 4 l 62 36 96 37 69 58 78 91 50 72 22 91 31 58 4 37 38 36")
      ]
    }
  }

  private static let skin: UInt32 = 0xFFCB4C
  private static let dark: UInt32 = 0x5A3A12
  private static let face = [Layer(color: skin, path: ellipse(50, 50, 48, 48))]
  private static let hand = hand(movedBy: 0)

  private static func hand(movedBy distance: Int) -> String {
    let path: [(String, Int, Int)] = [
      ("m", 10, 62), ("l", 34, 30), ("l", 42, 36), ("l", 34, 48), ("l", 58, 18), ("l", 66, 24),
      ("l", 48, 50), ("l", 72, 26), ("l", 79, 33), ("l", 56, 58), ("l", 76, 42), ("l", 81, 50),
      ("l", 50, 82), ("l", 28, 84),
    ]
    return path.map { "\($0) \($1 + distance) \($2 + distance)" }.joined(separator: " ")
  }

  /// Returns an ellipse of four curves; 0.5523 of the radius is the usual distance of their handles.
  private static func ellipse(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String
  {
    let (a, b) = (width * 0.5523, height * 0.5523)
    func at(_ dx: Double, _ dy: Double) -> String {
      "\(Int((x + dx).rounded())) \(Int((y + dy).rounded()))"
    }
    return "m \(at(width, 0)) b \(at(width, b)) \(at(a, height)) \(at(0, height)) "
      + "\(at(-a, height)) \(at(-width, b)) \(at(-width, 0)) "
      + "\(at(-width, -b)) \(at(-a, -height)) \(at(0, -height)) "
      + "\(at(a, -height)) \(at(width, -b)) \(at(width, 0)) "
  }
}
