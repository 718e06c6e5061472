import Testing

@testable import AVFormat

/// The compiler checks that the row of its headers matches them (`layouts.h`).
@Suite("The layout of FFmpeg's structures")
struct StructureLayoutTests {
  @Test("The libavformat of this process has a known layout")
  func current() {
    #expect(StructureLayout.current != nil)
  }

  @Test("A version without a row has no layout, and so nothing is read from it")
  func unknown() {
    #expect(StructureLayout.layout(majorVersion: 58) != nil)
    #expect(StructureLayout.layout(majorVersion: 57) == nil)
    #expect(StructureLayout.layout(majorVersion: 64) == nil)
  }
}
