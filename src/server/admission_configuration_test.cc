#include "server/admission_configuration.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "value/json_writer.h"

namespace server {
namespace {

using base::Cat;

class AdmissionConfigurationTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "admission_configuration";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  // What the file says to PodSecurity, or what is wrong with it.
  std::string Said(std::string_view text, std::string_view plugin = "PodSecurity") {
    const auto read = AdmissionConfiguration::Read(Write("main.yaml", text));
    return read ? value::ToJson((*read)->Of(plugin)) : read.error().message.substr(folder_.size() + 1);
  }
  std::string folder_;
};

constexpr std::string_view kHead = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";

TEST_F(AdmissionConfigurationTest, HasDocumentsOfPlugins) {
  EXPECT_EQ(Said(Cat(kHead, "plugins:\n- name: PodSecurity\n  configuration: {a: 1}\n")), R"({"a":1})");
  EXPECT_EQ(Said(Cat(kHead, "plugins:\n- name: ResourceQuota\n  configuration: {a: 1}\n")), "null");
  Write("own.yaml", "b: 2\n");
  EXPECT_EQ(Said(Cat(kHead, "plugins:\n- name: PodSecurity\n  path: own.yaml\n")), R"({"b":2})");
  EXPECT_EQ(Said(Cat(kHead, "plugins: []\n")), "null");
  EXPECT_EQ(Said(R"({"kind":"AdmissionConfiguration","apiVersion":"apiserver.k8s.io/v1alpha1"})"), "null");
  EXPECT_TRUE(AdmissionConfiguration::Read(""));
  // As files were before there was a kind.
  EXPECT_EQ(Said("podNodeSelectorPluginConfig: {}\n", "PodNodeSelector"), R"({"podNodeSelectorPluginConfig":{}})");
}

TEST_F(AdmissionConfigurationTest, WhatNobodyKnowsIsAnError) {
  EXPECT_FALSE(AdmissionConfiguration::Read(folder_ + "/none"));
  EXPECT_EQ(Said(Cat(kHead, "plugin: []\n")), R"(main.yaml: strict decoding error: unknown field "plugin")");
  EXPECT_EQ(Said(Cat(kHead, "plugins:\n- name: Podsecurity\n")),
            R"(main.yaml: plugins[0]: plugin "Podsecurity" is unknown)");
  EXPECT_EQ(Said(Cat(kHead, "plugins:\n- name: PodSecurity\n  file: x\n")),
            R"(main.yaml: strict decoding error: unknown field "plugins[0].file")");
  EXPECT_EQ(Said(Cat(kHead, "plugins:\n- name: PodSecurity\n  configuration: 1\n")),
            "main.yaml: plugins[0]: the configuration is no object");
  EXPECT_NE(Said(Cat(kHead, "plugins:\n- name: PodSecurity\n  path: gone\n")).find("unable to read"),
            std::string::npos);
  EXPECT_NE(Said("kind: Other\napiVersion: v1\n").find("no kind \"Other\""), std::string::npos);
  EXPECT_NE(Said("[").find("yaml:"), std::string::npos);
}

}  // namespace
}  // namespace server
