import Testing

@testable import MPVPlayer

@Suite("The sound's output and device")
struct SoundOutputTests {
  @Test("The device is searched for when the output or the choice has changed")
  func searches() {
    var sound = SoundOutput()
    let none = sound.nextSearch(output: nil)
    #expect(none == nil)
    let first = sound.nextSearch(output: "pulse")
    #expect(first == SoundOutput.Search(choice: nil, output: "pulse"))
    let same = sound.nextSearch(output: "pulse")
    #expect(same == nil)
    sound.chose("pulse/one")
    let chosen = sound.nextSearch(output: "pulse")
    #expect(chosen?.choice == "pulse/one" && chosen?.needsDevices == true)
    let silent = sound.nextSearch(output: "null")
    #expect(silent?.needsDevices == false)
  }

  @Test("While the sound is lost no device plays it")
  func lost() {
    var sound = SoundOutput()
    _ = sound.outputChanged(to: "null", isSilenceWanted: false)
    let search = sound.nextSearch(output: "null")
    #expect(search == nil)
    _ = sound.outputChanged(to: "alsa", isSilenceWanted: false)
    let found = sound.nextSearch(output: "alsa")
    #expect(found?.output == "alsa")
  }

  @Test("A device is reported when it is another one")
  func device() {
    var sound = SoundOutput()
    let speaker = AudioDevice(key: "pulse/one", name: "Speaker")
    let reports = [speaker, speaker, AudioDevice(key: "auto/alsa", name: nil)].map {
      sound.found($0)
    }
    #expect(reports == [true, false, true] && sound.device?.key == "auto/alsa")
  }
}
