import CZlib

/// The picture as pixels, by kitty's graphics protocol (its documentation, "Terminal graphics protocol").
///
/// Each changed picture is transmitted whole and replaces the former one within one synchronized update. It lies over
/// the cells, in as many pieces as the covers leave of it.
struct KittyPicture: Sendable {
  /// The greatest number of encoded bytes in one escape sequence.
  private static let chunk = 4096
  private static let ids = [7_300_001, 7_300_002]

  /// The index of the picture's current identifier; nil for none.
  private var shown: Int?
  private var pixels: [UInt8] = []
  private var needsPlacing = true

  /// Returns the size of a picture in an area, in pixels: the terminal's own pixels, or fewer in the same ratio.
  static func size(of area: CellArea, cell: CellSize, limit: Int) -> (width: Int, height: Int) {
    let width = Double(area.columns) * cell.width
    let height = Double(area.rows) * cell.height
    guard width >= 1, height >= 1 else { return (1, 1) }
    let scale = min(1, (Double(limit) / (width * height)).squareRoot())
    return (max(1, Int(width * scale)), max(1, Int(height * scale)))
  }

  var isShown: Bool { shown != nil }

  /// Makes the next picture be placed again, since its position or its pieces are wrong.
  mutating func forgetPlacements() { needsPlacing = true }

  /// Forgets the picture, because the terminal has lost it.
  mutating func forget() {
    pixels = []
    needsPlacing = true
  }

  /// Writes the bytes that make the terminal show `picture`; nothing if it does.
  ///
  /// - Parameter memory: the medium; nil for the terminal's own link.
  mutating func encode(
    _ picture: PixelBuffer, area: CellArea, covers: [CellArea], memory: SharedPictures?,
    to output: inout ControlBytes
  ) {
    let new = Self.packed(picture)
    guard new != pixels || needsPlacing else { return }
    output.text("\u{1B}7\u{1B}[?2026h")
    let before = shown
    if new != pixels || before == nil {
      let next = before == 0 ? 1 : 0
      transmit(new, picture, id: Self.ids[next], memory: memory, to: &output)
      shown = next
      pixels = new
    } else if let before {
      output.text("\u{1B}_Ga=d,d=i,q=2,i=")
      output.decimal(Self.ids[before])
      output.text("\u{1B}\\")
    }
    place(picture, area: area, covers: covers, to: &output)
    if let before, before != shown { Self.remove(before, to: &output) }
    needsPlacing = false
  }

  /// Removes the picture.
  mutating func remove(to output: inout ControlBytes) {
    if let shown { Self.remove(shown, to: &output) }
    shown = nil
    forget()
  }

  private static func remove(_ index: Int, to output: inout ControlBytes) {
    output.text("\u{1B}_Ga=d,d=I,q=2,i=")
    output.decimal(ids[index])
    output.text("\u{1B}\\")
  }

  /// Returns red, green and blue, one byte each.
  private static func packed(_ picture: PixelBuffer) -> [UInt8] {
    let count = picture.width * picture.height * 3
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = count
      guard var target = buffer.baseAddress else { return }
      for y in 0..<picture.height {
        for x in 0..<picture.width {
          let color = picture.color(x, y)
          target[0] = UInt8(truncatingIfNeeded: color >> 16)
          target[1] = UInt8(truncatingIfNeeded: color >> 8)
          target[2] = UInt8(truncatingIfNeeded: color)
          target += 3
        }
      }
    }
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      // The fastest level: the link within a machine is faster than a higher level of zlib.
      let status = compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), Z_BEST_SPEED)
      precondition(status == Z_OK, "zlib has no room in what it asked for")
      count = Int(size)
    }
  }

  private func transmit(
    _ pixels: [UInt8], _ picture: PixelBuffer, id: Int, memory: SharedPictures?,
    to output: inout ControlBytes
  ) {
    let name = memory?.share(pixels)
    let data = Base64.encode(name.map { Array($0.utf8) } ?? Self.compressed(pixels))
    var start = 0
    while start < data.count {
      let end = min(data.count, start + Self.chunk)
      output.text("\u{1B}_G")
      if start == 0 {
        output.text(name == nil ? "a=t,f=24,o=z,q=2,i=" : "a=t,f=24,t=s,q=2,i=")
        output.decimal(id)
        output.text(",s=")
        output.decimal(picture.width)
        output.text(",v=")
        output.decimal(picture.height)
        output.text(",")
      }
      output.text(end < data.count ? "m=1;" : "m=0;")
      output.append(data[start..<end])
      output.text("\u{1B}\\")
      start = end
    }
  }

  private func place(
    _ picture: PixelBuffer, area: CellArea, covers: [CellArea], to output: inout ControlBytes
  ) {
    guard let shown else { return }
    for (number, piece) in area.pieces(without: covers).enumerated() {
      let left = (piece.column - area.column) * picture.width / area.columns
      let right = (piece.column - area.column + piece.columns) * picture.width / area.columns
      let top = (piece.row - area.row) * picture.height / area.rows
      let bottom = (piece.row - area.row + piece.rows) * picture.height / area.rows
      guard right > left, bottom > top else { continue }
      output.text("\u{1B}[")
      output.decimal(piece.row + 1)
      output.text(";")
      output.decimal(piece.column + 1)
      output.text("H\u{1B}_Ga=p,C=1,q=2,i=")
      output.decimal(Self.ids[shown])
      let parts: [(StaticString, Int)] = [
        (",p=", number + 1), (",x=", left), (",y=", top), (",w=", right - left),
        (",h=", bottom - top), (",c=", piece.columns), (",r=", piece.rows),
      ]
      for (key, value) in parts {
        output.text(key)
        output.decimal(value)
      }
      output.text("\u{1B}\\")
    }
  }
}
