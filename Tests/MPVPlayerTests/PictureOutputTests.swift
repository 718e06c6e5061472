import Testing

@testable import MPVPlayer

@Suite("The picture's destination")
struct PictureOutputTests {
  @Test("A window that can't be opened is noticed once, and a file is opened again once")
  func window() {
    var picture = PictureOutput(mode: .window)
    picture.fullscreenChanged(true)
    #expect(picture.coversScreen == true)
    let line = "Error opening/initializing the selected video_out (--vo) device."
    let found = [
      picture.windowFailed("other"), picture.windowFailed(line), picture.windowFailed(line),
    ]
    #expect(found == [false, true, false] && picture.hasNoWindow && picture.coversScreen == nil)
    #expect(picture.mayLackWindow(.error, mayOpenWindow: true))
    #expect(picture.mayLackWindow(.eof, mayOpenWindow: true))
    #expect(!picture.mayLackWindow(.stop, mayOpenWindow: true))
    #expect(!picture.mayLackWindow(.error, mayOpenWindow: false))
    picture.opensWithoutWindow()
    #expect(!picture.mayLackWindow(.error, mayOpenWindow: true))
  }

  @Test("Without a window nothing covers the screen")
  func fullscreen() {
    var picture = PictureOutput(mode: .frames)
    picture.fullscreenChanged(true)
    #expect(picture.coversScreen == nil)
    picture.modeChanged(.window)
    #expect(picture.coversScreen == true)
  }

  @Test("A grid is removed once")
  func grid() {
    var picture = PictureOutput(mode: .none)
    picture.gridShown()
    let ended = [picture.gridEnded(), picture.gridEnded()]
    #expect(ended == [true, false])
  }

  @Test("A screenshot's path is in the log, for the newest caller")
  func screenshots() {
    var report = ScreenshotReport()
    report.logged("Screenshot: 'early.jpg'")
    let written = report.began()
    report.logged("AO: [null] 48000Hz")
    #expect(written.current == nil)
    report.logged("Screenshot: 'it's.jpg'")
    #expect(written.current == "it's.jpg")
  }
}
