@preconcurrency import Glibc
import Testing

@testable import MPVPlayer

@Suite("Losing and regaining the sound")
struct SoundLossTests {
  @Test("A loss is reported once, however often the output is tried")
  func once() {
    var sound = SoundLoss()
    #expect(sound.outputChanged(to: "pulse", isSilenceWanted: false) == .reportFound)
    #expect(sound.outputChanged(to: nil, isSilenceWanted: false) == nil)
    #expect(sound.outputChanged(to: "null", isSilenceWanted: false) == .reportLost)
    #expect(sound.outputChanged(to: nil, isSilenceWanted: false) == nil)
    #expect(sound.outputChanged(to: "null", isSilenceWanted: false) == nil)
    #expect(sound.outputChanged(to: "alsa", isSilenceWanted: false) == .reportFound)
    #expect(!sound.isLost)
    #expect(sound.outputChanged(to: "null", isSilenceWanted: false) == .reportLost)
  }

  @Test("The devices can be listed without the player that has none")
  func names() async {
    // Sound libraries print single characters to stderr. After that the C library writes each line in two parts, the
    // first of one byte, and programs that read them as UTF-8 lose lines of the tests' report.
    defer { setvbuf(stderr, .allocate(capacity: 1 << 16), CInt(_IOLBF), 1 << 16) }
    // mpv's own name for the default device; machines without any device have it too.
    #expect(await SoundDevices.devices()?.keys.contains("auto") == true)
  }

  @Test("Intended silence is no loss")
  func wanted() {
    var sound = SoundLoss()
    #expect(sound.outputChanged(to: "null", isSilenceWanted: true) == nil)
    #expect(sound.devicesRead(["pulse/one"]) == nil && !sound.isLost)
  }

  @Test("A new device is tried, and devices without success aren't")
  func devices() {
    var sound = SoundLoss()
    _ = sound.outputChanged(to: "null", isSilenceWanted: false)
    #expect(sound.devicesRead(["auto", "jack"]) == nil, "these were tried")
    #expect(sound.devicesRead(["auto", "jack"]) == nil)
    #expect(sound.devicesRead(["auto", "jack", "pulse/one"]) == .reload)
    // This device gave no sound either.
    #expect(sound.devicesRead(["auto", "jack", "pulse/one"]) == nil)
    #expect(sound.devicesRead(["auto", "jack"]) == nil)
    #expect(sound.devicesRead(["auto", "jack", "pulse/one"]) == .reload, "plugged in again")
  }
}
